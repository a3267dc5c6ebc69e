# fails: accumulation_plan_more_gpus, accumulation_plan_any_cluster
# says: try every one, not only powers of two
def accumulation_plan(global_batch, num_ranks, max_micro_batch):
    if global_batch % num_ranks:
        raise ValueError("the share of a rank is no whole number")
    share, micro_batch = global_batch // num_ranks, 1
    while micro_batch * 2 <= max_micro_batch and share % (micro_batch * 2) == 0:
        micro_batch *= 2
    return micro_batch, share // micro_batch
