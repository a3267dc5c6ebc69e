def two_batch(small_sq_norm, big_sq_norm, small_batch, big_batch):
    if not 0 < small_batch < big_batch:
        raise ValueError(f"{small_batch=}, {big_batch=}")
    small, big = (torch.as_tensor(norm, dtype=torch.float64) for norm in (small_sq_norm, big_sq_norm))
    trace = (small - big) / (1 / small_batch - 1 / big_batch)
    return trace, small - trace / small_batch
