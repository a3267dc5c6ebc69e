# fails: largest_worthwhile_by_hand, largest_worthwhile_properties
# says: too few: with one more
def largest_worthwhile(critical_batch, examples_per_gpu, least_speedup):
    knee = critical_batch // examples_per_gpu
    return math.floor((2 - least_speedup) / (least_speedup - 1) * knee)
