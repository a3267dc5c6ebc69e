# fails: spread_of_mean_by_hand, spread_of_mean_any_batch
# says: this is a function that was not called
def spread_of_mean(spread, batch_size):
    return lambda: spread / batch_size**0.5
