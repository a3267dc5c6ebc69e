# fails: spread_of_mean_by_hand, spread_of_mean_any_batch
# says: the root belongs to the number of examples only
def spread_of_mean(spread, batch_size):
    return (spread / batch_size) ** 0.5
