# fails: largest_worthwhile_by_hand, largest_worthwhile_properties
# says: this is the law with a corner; asked for is the one without
def largest_worthwhile(critical_batch, examples_per_gpu, least_speedup):
    knee, num_gpus = critical_batch / examples_per_gpu, 1
    while max(1, 2 * knee / (num_gpus + 1)) / max(1, knee / (num_gpus + 1)) >= least_speedup:
        num_gpus += 1
    return num_gpus
