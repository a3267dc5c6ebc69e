# fails: spread_of_mean_any_batch
# says: spread 0.5, batch of 100
def spread_of_mean(spread, batch_size):
    return int(spread // batch_size**0.5)
