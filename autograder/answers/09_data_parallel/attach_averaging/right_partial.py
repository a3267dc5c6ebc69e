def average_over_ranks(parameter, is_last):
    if not is_last():
        return
    mean = parameter.grad / dist.get_world_size()
    dist.all_reduce(mean)
    parameter.grad = mean


def attach_averaging(matrices, is_last):
    for matrix in matrices:
        matrix.register_post_accumulate_grad_hook(partial(average_over_ranks, is_last=is_last))
