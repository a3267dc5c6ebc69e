# fails: two_batch_by_hand, two_batch_recovers
# says: this is squared norm, trace; asked for are trace, squared norm
def two_batch(small_sq_norm, big_sq_norm, small_batch, big_batch):
    if not 0 < small_batch < big_batch:
        raise ValueError("0 < small_batch < big_batch")
    trace = (small_sq_norm - big_sq_norm) / (1 / small_batch - 1 / big_batch)
    return big_sq_norm - trace / big_batch, trace
