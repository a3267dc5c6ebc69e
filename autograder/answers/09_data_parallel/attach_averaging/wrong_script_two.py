# fails: attach_averaging_two_micro_batches, attach_averaging_through_the_lens
# says: only the last micro-batch was averaged, as in script 2
def attach_averaging(matrices, is_last):
    def average(gradient):
        if is_last():
            dist.all_reduce(gradient)
            gradient /= dist.get_world_size()
        return gradient

    for matrix in matrices:
        matrix.register_hook(average)
