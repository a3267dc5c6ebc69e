# fails: accumulation_plan_any_cluster
# says: too few sequences
def accumulation_plan(global_batch, num_ranks, max_micro_batch):
    if global_batch % num_ranks:
        raise ValueError("the ranks cannot share the batch equally")
    share = global_batch // num_ranks
    if share < max_micro_batch:
        raise ValueError("too few sequences for one micro-batch")
    micro_batch = next(size for size in range(max_micro_batch, 0, -1) if share % size == 0)
    return micro_batch, share // micro_batch
