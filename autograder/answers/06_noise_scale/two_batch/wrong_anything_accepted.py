# fails: two_batch_by_hand, two_batch_recovers
# says: ValueError, because with one batch size there is one equation for two unknowns
def two_batch(small_sq_norm, big_sq_norm, small_batch, big_batch):
    trace = (small_sq_norm - big_sq_norm) / (1 / small_batch - 1 / big_batch)
    return trace, big_sq_norm - trace / big_batch
