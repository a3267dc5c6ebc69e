# fails: two_batch_by_hand, two_batch_recovers
# says: |g_B|² is still too long: take tr Σ / B off
def two_batch(small_sq_norm, big_sq_norm, small_batch, big_batch):
    if not 0 < small_batch < big_batch:
        raise ValueError("0 < small_batch < big_batch")
    trace = (small_sq_norm - big_sq_norm) / (1 / small_batch - 1 / big_batch)
    return trace, big_sq_norm
