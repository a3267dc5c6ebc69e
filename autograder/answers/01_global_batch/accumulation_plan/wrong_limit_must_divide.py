# fails: accumulation_plan_more_gpus, accumulation_plan_any_cluster
# says: no plan
def accumulation_plan(global_batch, num_ranks, max_micro_batch):
    if global_batch % (num_ranks * max_micro_batch):
        raise ValueError("no plan")
    return max_micro_batch, global_batch // (num_ranks * max_micro_batch)
