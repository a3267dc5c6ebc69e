# fails: largest_worthwhile_by_hand, largest_worthwhile_properties
# says: all whole numbers count, not only powers of two
def largest_worthwhile(critical_batch, examples_per_gpu, least_speedup):
    num_gpus, knee = 1, critical_batch / examples_per_gpu
    while (1 + knee / num_gpus) / (1 + knee / (2 * num_gpus)) >= least_speedup:
        num_gpus *= 2
    return num_gpus
