# fails: attach_averaging_through_the_lens
# says: the ranks differ: step 0, 0.weight.grad
def attach_averaging(matrices, is_last):
    for matrix in matrices:

        def average(gradient, matrix=matrix):
            if is_last():
                before = torch.zeros_like(gradient) if matrix.grad is None else matrix.grad
                total = before + gradient
                dist.all_reduce(total)
                return total / dist.get_world_size() - before  # PyTorch adds it to .grad, and that rounds

        matrix.register_hook(average)
