# fails: largest_worthwhile_by_hand, largest_worthwhile_properties
# says: this is where the *next* doubling is worth it
def largest_worthwhile(critical_batch, examples_per_gpu, least_speedup):
    return math.floor((2 - least_speedup) / (2 * least_speedup - 2) * critical_batch / examples_per_gpu)
