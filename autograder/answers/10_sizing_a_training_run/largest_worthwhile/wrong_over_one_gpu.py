# fails: largest_worthwhile_by_hand, largest_worthwhile_properties
# says: this compares with a single GPU
def largest_worthwhile(critical_batch, examples_per_gpu, least_speedup):
    knee = critical_batch / examples_per_gpu
    count = 1
    while (1 + knee) / (1 + knee / count) < least_speedup:
        count += 1
    return count
