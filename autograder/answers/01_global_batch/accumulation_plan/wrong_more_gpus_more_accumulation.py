# fails: accumulation_plan_more_gpus, accumulation_plan_any_cluster
# says: each needs half the micro-batches
def accumulation_plan(global_batch, num_ranks, max_micro_batch):
    if global_batch % num_ranks:
        raise ValueError("the ranks cannot share the batch equally")
    share = global_batch // num_ranks
    # The recipe for 8 ranks accumulates 128 / (8 · 4) times; scale with the ranks, as the handbook advises.
    return max_micro_batch, 128 // (8 * max_micro_batch) * num_ranks // 8
