# fails: spread_of_mean_by_hand, spread_of_mean_any_batch
# says: ends without `return`
def spread_of_mean(spread, batch_size):
    print(spread / batch_size**0.5)
