# fails: attach_averaging_two_micro_batches, attach_averaging_through_the_lens
# says: an all-reduce adds: divide by the number of ranks
def attach_averaging(matrices, is_last):
    def add_up(matrix):
        if is_last():
            dist.all_reduce(matrix.grad)

    for matrix in matrices:
        matrix.register_post_accumulate_grad_hook(add_up)
