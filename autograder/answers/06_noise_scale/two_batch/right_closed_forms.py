def two_batch(small_sq_norm, big_sq_norm, small_batch, big_batch):
    if small_batch <= 0 or small_batch >= big_batch:
        raise ValueError("small_batch must be positive and smaller than big_batch")
    squared_norm = (big_batch * big_sq_norm - small_batch * small_sq_norm) / (big_batch - small_batch)
    trace = small_batch * big_batch / (big_batch - small_batch) * (small_sq_norm - big_sq_norm)
    return [trace, squared_norm]
