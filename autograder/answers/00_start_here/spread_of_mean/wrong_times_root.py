# fails: spread_of_mean_by_hand, spread_of_mean_any_batch
# says: you multiplied by the square root: averaging makes the scatter smaller
def spread_of_mean(spread, batch_size):
    return spread * batch_size**0.5
