# fails: accumulation_plan_more_gpus, accumulation_plan_impossible, accumulation_plan_any_cluster
# says: 8 ranks × 4 × 3 are 96 sequences, not 120: the micro-batch must divide the share of a rank
# says: ValueError, because 128 sequences are not a multiple of 6
# says: the impossible case is not caught
def accumulation_plan(global_batch, num_ranks, max_micro_batch):
    share = global_batch // num_ranks
    return max_micro_batch, share // max_micro_batch
