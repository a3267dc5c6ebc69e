# fails: two_batch_by_hand, two_batch_recovers
# says: this multiplies by B - b; divide by 1/b - 1/B
def two_batch(small_sq_norm, big_sq_norm, small_batch, big_batch):
    if not 0 < small_batch < big_batch:
        raise ValueError("0 < small_batch < big_batch")
    trace = (small_sq_norm - big_sq_norm) * (big_batch - small_batch)
    return trace, big_sq_norm - trace / big_batch
