# fails: accumulation_plan_impossible
# says: got None
def accumulation_plan(global_batch, num_ranks, max_micro_batch):
    for micro_batch in range(max_micro_batch, 0, -1):
        if global_batch % (num_ranks * micro_batch) == 0:
            return micro_batch, global_batch // (num_ranks * micro_batch)
