# fails: two_batch_by_hand, two_batch_recovers
# says: the trace is that of one example: multiplied by b twice
def two_batch(small_sq_norm, big_sq_norm, small_batch, big_batch):
    if not 0 < small_batch < big_batch:
        raise ValueError("0 < small_batch < big_batch")
    trace = (small_sq_norm - big_sq_norm) / (1 / small_batch - 1 / big_batch)
    return trace * small_batch, big_sq_norm - trace / big_batch
