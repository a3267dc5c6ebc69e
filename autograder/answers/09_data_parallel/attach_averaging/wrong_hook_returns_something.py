# fails: attach_averaging_two_micro_batches, attach_averaging_through_the_lens
# says: Tensor post accumulate grad hooks should return None
def attach_averaging(matrices, is_last):
    def average(matrix):
        if is_last():
            dist.all_reduce(matrix.grad)
            matrix.grad /= dist.get_world_size()
            return matrix.grad

    for matrix in matrices:
        matrix.register_post_accumulate_grad_hook(average)
