# fails: two_batch_recovers
# says: converted to Python scalars
def two_batch(small_sq_norm, big_sq_norm, small_batch, big_batch):
    if not 0 < small_batch < big_batch:
        raise ValueError("0 < small_batch < big_batch")
    trace = float(small_sq_norm - big_sq_norm) / (1 / small_batch - 1 / big_batch)
    return trace, float(big_sq_norm) - trace / big_batch
