# fails: largest_worthwhile_by_hand, largest_worthwhile_properties
# says: there is no part of a GPU: round down
def largest_worthwhile(critical_batch, examples_per_gpu, least_speedup):
    return (2 - least_speedup) / (least_speedup - 1) * critical_batch / examples_per_gpu
