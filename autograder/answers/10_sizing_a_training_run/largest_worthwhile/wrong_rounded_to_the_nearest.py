# fails: largest_worthwhile_by_hand, largest_worthwhile_properties
# says: this many are not quite fast enough: round down
def largest_worthwhile(critical_batch, examples_per_gpu, least_speedup):
    return round((2 - least_speedup) / (least_speedup - 1) * critical_batch / examples_per_gpu)
