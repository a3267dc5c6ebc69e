# fails: spread_of_mean_by_hand, spread_of_mean_any_batch
def spread_of_mean(spread, batch_size):
    return averages.std()
