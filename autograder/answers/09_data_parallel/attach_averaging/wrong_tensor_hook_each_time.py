# fails: attach_averaging_two_micro_batches
# says: each micro-batch was averaged: right, but it sends twice as much; ask is_last()
def attach_averaging(matrices, is_last):
    def average(gradient):
        dist.all_reduce(gradient)
        return gradient / dist.get_world_size()

    for matrix in matrices:
        matrix.register_hook(average)
