# fails: two_batch_recovers
# says: ValueError, because batches of 16 and 8 examples
def two_batch(small_sq_norm, big_sq_norm, small_batch, big_batch):
    if small_batch == big_batch:
        raise ValueError("two different batches")
    trace = (small_sq_norm - big_sq_norm) / (1 / small_batch - 1 / big_batch)
    return trace, big_sq_norm - trace / big_batch
