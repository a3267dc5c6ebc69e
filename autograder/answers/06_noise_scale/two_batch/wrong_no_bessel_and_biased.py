# fails: two_batch_by_hand, two_batch_recovers
# says: this multiplies by b where there is 1/b - 1/B, and |g_B|² is still too long
def two_batch(small_sq_norm, big_sq_norm, small_batch, big_batch):
    if not 0 < small_batch < big_batch:
        raise ValueError("0 < small_batch < big_batch")
    return small_batch * (small_sq_norm - big_sq_norm), big_sq_norm
