# fails: accumulation_plan_more_gpus, accumulation_plan_any_cluster
# says: this fits, but a larger micro-batch does too
def accumulation_plan(global_batch, num_ranks, max_micro_batch):
    if global_batch % num_ranks:
        raise ValueError("the ranks cannot share the batch equally")
    share = global_batch // num_ranks
    micro_batch = next(size for size in range(1, max_micro_batch + 1) if share % size == 0)
    return micro_batch, share // micro_batch
