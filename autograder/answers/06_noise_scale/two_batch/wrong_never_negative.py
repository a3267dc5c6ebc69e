# fails: two_batch_by_hand
# says: a negative estimate stays negative: set to 0, it is no longer right on average
def two_batch(small_sq_norm, big_sq_norm, small_batch, big_batch):
    if not 0 < small_batch < big_batch:
        raise ValueError("0 < small_batch < big_batch")
    trace = (small_sq_norm - big_sq_norm) / (1 / small_batch - 1 / big_batch)
    return trace, np.maximum(big_sq_norm - trace / big_batch, 0)
