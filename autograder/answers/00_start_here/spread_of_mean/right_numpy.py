def spread_of_mean(spread, batch_size):
    return spread / np.sqrt(batch_size)
