# fails: spread_of_mean_by_hand, spread_of_mean_any_batch
# says: this is the variance of the average; the standard deviation is its square root
def spread_of_mean(spread, batch_size):
    return spread**2 / batch_size
