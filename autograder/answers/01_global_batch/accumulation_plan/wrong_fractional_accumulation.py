# fails: accumulation_plan_more_gpus, accumulation_plan_any_cluster
# says: accumulation steps must be a whole number: the micro-batch must divide the share of a rank
def accumulation_plan(global_batch, num_ranks, max_micro_batch):
    if global_batch % num_ranks:
        raise ValueError("the ranks cannot share the batch equally")
    share = global_batch // num_ranks
    micro_batch = min(max_micro_batch, share)
    return micro_batch, share / micro_batch
