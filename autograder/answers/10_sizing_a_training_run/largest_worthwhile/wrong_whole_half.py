# fails: largest_worthwhile_by_hand, largest_worthwhile_properties
# says: too many: the last doubling bought
def largest_worthwhile(critical_batch, examples_per_gpu, least_speedup):
    knee, num_gpus = critical_batch / examples_per_gpu, 1
    while (1 + knee / max(1, (num_gpus + 1) // 2)) / (1 + knee / (num_gpus + 1)) >= least_speedup or num_gpus < 2:
        num_gpus += 1
    return num_gpus
