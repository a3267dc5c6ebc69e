# fails: accumulation_plan_any_cluster
def accumulation_plan(global_batch, num_ranks, max_micro_batch):
    if global_batch % num_ranks:
        raise ValueError("the ranks cannot share the batch equally")
    share = global_batch // num_ranks
    for micro_batch in range(max_micro_batch, 1, -1):
        if share % micro_batch == 0:
            return micro_batch, share // micro_batch
