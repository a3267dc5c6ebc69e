def accumulation_plan(global_batch, num_ranks, max_micro_batch):
    if global_batch % num_ranks != 0:
        raise ValueError("the ranks cannot share the batch equally")
    share = global_batch // num_ranks
    sizes = np.arange(1, max_micro_batch + 1)
    micro_batch = sizes[share % sizes == 0].max()
    return np.array([micro_batch, share // micro_batch])
