# fails: largest_worthwhile_by_hand, largest_worthwhile_properties
# says: this compares examples; asked for is the speed-up
def largest_worthwhile(critical_batch, examples_per_gpu, least_speedup):
    return math.floor((least_speedup - 1) / (1 - least_speedup / 2) * critical_batch / examples_per_gpu)
