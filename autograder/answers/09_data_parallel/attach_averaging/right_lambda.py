def attach_averaging(matrices, is_last):
    num_ranks = dist.get_world_size()

    def average(gradient):
        dist.all_reduce(gradient, op=dist.ReduceOp.SUM)
        gradient.div_(num_ranks)

    for matrix in matrices:
        matrix.register_post_accumulate_grad_hook(lambda weight: average(weight.grad) if is_last() else None)
