# fails: spread_of_mean_by_hand
# says: divide by the root of the number of examples, not of one less
def spread_of_mean(spread, batch_size):
    return spread / max(1, batch_size - 1) ** 0.5
