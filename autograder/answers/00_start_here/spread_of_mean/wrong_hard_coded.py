# fails: spread_of_mean_any_batch
# says: expected 6 (spread 6, batch of 1)
def spread_of_mean(spread, batch_size):
    return 2.0
