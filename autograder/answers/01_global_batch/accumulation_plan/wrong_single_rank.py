# fails: accumulation_plan_more_gpus, accumulation_plan_impossible, accumulation_plan_any_cluster
# says: this is the plan of a single rank; 16 of them share the batch
def accumulation_plan(global_batch, num_ranks, max_micro_batch):
    micro_batch = next(size for size in range(max_micro_batch, 0, -1) if global_batch % size == 0)
    return micro_batch, global_batch // micro_batch
