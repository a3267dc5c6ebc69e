# fails: attach_averaging_two_micro_batches, attach_averaging_through_the_lens
# says: all but the last micro-batch was averaged
def attach_averaging(matrices, is_last):
    for matrix in matrices:

        def average(gradient, matrix=matrix):
            if is_last():
                dist.all_reduce(matrix.grad)
                matrix.grad /= dist.get_world_size()

        matrix.register_hook(average)
