# fails: largest_worthwhile_by_hand, largest_worthwhile_properties
# says: this limits the cost to 1.3 times the least
def largest_worthwhile(critical_batch, examples_per_gpu, least_speedup):
    return math.floor((least_speedup - 1) * critical_batch / examples_per_gpu)
