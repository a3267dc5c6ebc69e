# fails: accumulation_plan_more_gpus, accumulation_plan_any_cluster
# says: 8 ranks × 4 × 4 are 128 sequences, not 120: the micro-batch must divide the share of a rank
def accumulation_plan(global_batch, num_ranks, max_micro_batch):
    if global_batch % num_ranks:
        raise ValueError("the ranks cannot share the batch equally")
    share = global_batch // num_ranks
    return max_micro_batch, -(-share // max_micro_batch)
