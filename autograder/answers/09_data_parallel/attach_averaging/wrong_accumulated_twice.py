# fails: attach_averaging_two_micro_batches, attach_averaging_through_the_lens
# says: what was accumulated before is in it twice
def attach_averaging(matrices, is_last):
    for matrix in matrices:

        def average(gradient, matrix=matrix):
            if is_last():
                total = gradient if matrix.grad is None else matrix.grad + gradient
                dist.all_reduce(total)
                return total / dist.get_world_size()

        matrix.register_hook(average)
