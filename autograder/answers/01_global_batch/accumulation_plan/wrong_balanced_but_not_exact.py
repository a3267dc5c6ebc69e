# fails: accumulation_plan_any_cluster
# says: 1024 sequences, 8 ranks, at most 6 at a time
def accumulation_plan(global_batch, num_ranks, max_micro_batch):
    if global_batch % num_ranks:
        raise ValueError("the ranks cannot share the batch equally")
    share = global_batch // num_ranks
    accumulation_steps = -(-share // max_micro_batch)
    return share // accumulation_steps, accumulation_steps
