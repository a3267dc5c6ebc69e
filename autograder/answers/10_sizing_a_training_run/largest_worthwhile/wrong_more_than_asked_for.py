# fails: largest_worthwhile_by_hand, largest_worthwhile_properties
# says: this many are not quite fast enough: round down
def largest_worthwhile(critical_batch, examples_per_gpu, least_speedup):
    knee, num_gpus = critical_batch / examples_per_gpu, 1
    while (1 + 2 * knee / num_gpus) / (1 + knee / num_gpus) >= least_speedup:
        num_gpus += 1
    return num_gpus
