# fails: largest_worthwhile_by_hand, largest_worthwhile_properties
# says: this is a batch, in examples; asked for are GPUs
def largest_worthwhile(critical_batch, examples_per_gpu, least_speedup):
    return int((2 - least_speedup) / (least_speedup - 1) * critical_batch)
