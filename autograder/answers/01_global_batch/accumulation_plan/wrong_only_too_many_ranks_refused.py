# fails: accumulation_plan_impossible
# says: ValueError, because 128 sequences are not a multiple of 6
# says: the impossible case is not caught
def accumulation_plan(global_batch, num_ranks, max_micro_batch):
    if num_ranks > global_batch:
        raise ValueError("more ranks than sequences")
    share = global_batch // num_ranks
    micro_batch = next(size for size in range(max_micro_batch, 0, -1) if share % size == 0)
    return micro_batch, share // micro_batch
