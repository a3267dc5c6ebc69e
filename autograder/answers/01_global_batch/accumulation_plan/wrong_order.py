# fails: accumulation_plan_more_gpus, accumulation_plan_any_cluster
# says: the order is (micro_batch, accumulation_steps)
def accumulation_plan(global_batch, num_ranks, max_micro_batch):
    if global_batch % num_ranks:
        raise ValueError("the ranks cannot share the batch equally")
    share = global_batch // num_ranks
    micro_batch = next(size for size in range(max_micro_batch, 0, -1) if share % size == 0)
    return share // micro_batch, micro_batch
