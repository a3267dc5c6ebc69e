# fails: largest_worthwhile_by_hand, largest_worthwhile_properties
# says: by your law a larger batch takes *more* steps
def largest_worthwhile(critical_batch, examples_per_gpu, least_speedup):
    knee, num_gpus = critical_batch / examples_per_gpu, 0
    while (1 + (num_gpus + 1) / 2 / knee) / (1 + (num_gpus + 1) / knee) >= least_speedup:
        num_gpus += 1
    return num_gpus
