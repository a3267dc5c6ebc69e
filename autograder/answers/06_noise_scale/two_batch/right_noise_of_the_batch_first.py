def two_batch(small_sq_norm, big_sq_norm, small_batch, big_batch):
    if not (small_batch > 0 and big_batch > small_batch):
        raise ValueError
    noise = (small_sq_norm - big_sq_norm) / (big_batch / small_batch - 1)  # tr Σ / B
    return big_batch * noise, big_sq_norm - noise
