# fails: attach_averaging_two_micro_batches, attach_averaging_through_the_lens
# says: this is what was accumulated, not averaged
def attach_averaging(matrices, is_last):
    def average(matrix):
        dist.all_reduce(matrix.grad)
        matrix.grad /= dist.get_world_size()

    if is_last():
        for matrix in matrices:
            matrix.register_post_accumulate_grad_hook(average)
