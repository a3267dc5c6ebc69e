# fails: spread_of_mean_by_hand, spread_of_mean_any_batch
# says: this is the spread of one example: an average scatters less
def spread_of_mean(spread, batch_size):
    return spread
