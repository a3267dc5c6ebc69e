def spread_of_mean(spread, batch_size):
    return np.asarray(spread / batch_size**0.5, dtype=np.float32)
