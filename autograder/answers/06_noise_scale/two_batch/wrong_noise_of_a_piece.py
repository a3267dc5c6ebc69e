# fails: two_batch_by_hand, two_batch_recovers
# says: this is the noise of a piece of b examples; one example has b times as much
def two_batch(small_sq_norm, big_sq_norm, small_batch, big_batch):
    if not 0 < small_batch < big_batch:
        raise ValueError("0 < small_batch < big_batch")
    num_pieces = big_batch / small_batch
    noise = (small_sq_norm - big_sq_norm) * num_pieces / (num_pieces - 1)
    return noise, big_sq_norm - noise / num_pieces
