# fails: spread_of_mean_by_hand, spread_of_mean_any_batch
# says: you divided by the number of examples
def spread_of_mean(spread, batch_size):
    return spread / batch_size
