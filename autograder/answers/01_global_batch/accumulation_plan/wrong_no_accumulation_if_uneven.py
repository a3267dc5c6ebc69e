# fails: accumulation_plan_more_gpus, accumulation_plan_any_cluster
# says: 15 at a time do not fit
def accumulation_plan(global_batch, num_ranks, max_micro_batch):
    if global_batch % num_ranks:
        raise ValueError("the ranks cannot share the batch equally")
    share = global_batch // num_ranks
    if share % max_micro_batch == 0:
        return max_micro_batch, share // max_micro_batch
    return share, 1
