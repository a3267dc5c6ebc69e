# fails: two_batch_by_hand, two_batch_recovers
# says: this multiplies by b where |g_b|² - |g_B|² holds 1/b - 1/B
def two_batch(small_sq_norm, big_sq_norm, small_batch, big_batch):
    if not 0 < small_batch < big_batch:
        raise ValueError("0 < small_batch < big_batch")
    trace = small_batch * (small_sq_norm - big_sq_norm)
    return trace, big_sq_norm - trace / big_batch
