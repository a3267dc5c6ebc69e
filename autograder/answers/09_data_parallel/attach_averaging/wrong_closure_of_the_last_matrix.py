# fails: attach_averaging_through_the_lens
# says: the ranks differ: step 0, 0.weight.grad
def attach_averaging(matrices, is_last):
    for matrix in matrices:

        def average(_):
            if is_last():
                dist.all_reduce(matrix.grad)
                matrix.grad /= dist.get_world_size()

        matrix.register_post_accumulate_grad_hook(average)
