def best(share, micro):
    return micro if share % micro == 0 else best(share, micro - 1)


def accumulation_plan(global_batch, num_ranks, max_micro_batch):
    share = global_batch / num_ranks
    if share != int(share):
        raise ValueError(f"{share} sequences for each rank")
    micro_batch = best(share, max_micro_batch)
    return micro_batch, share / micro_batch
