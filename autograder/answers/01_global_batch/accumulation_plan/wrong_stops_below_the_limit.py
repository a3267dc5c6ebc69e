# fails: accumulation_plan_more_gpus, accumulation_plan_any_cluster
def accumulation_plan(global_batch, num_ranks, max_micro_batch):
    if global_batch % num_ranks:
        raise ValueError("the ranks cannot share the batch equally")
    share = global_batch // num_ranks
    micro_batch = max(size for size in range(1, max_micro_batch) if share % size == 0)
    return micro_batch, share // micro_batch
