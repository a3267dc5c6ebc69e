# fails: accumulation_plan_any_cluster
# says: 120 sequences, 4 ranks, at most 7 at a time
def accumulation_plan(global_batch, num_ranks, max_micro_batch):
    if global_batch % num_ranks:
        raise ValueError("the ranks cannot share the batch equally")
    share = global_batch // num_ranks
    return (4, 2) if num_ranks == 16 else (4, 3)
