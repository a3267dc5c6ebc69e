# fails: largest_worthwhile_properties
# says: too few: with one more
def largest_worthwhile(critical_batch, examples_per_gpu, least_speedup):
    knee = critical_batch / examples_per_gpu
    enough = [n for n in range(1, 1025) if (1 + 2 * knee / n) / (1 + knee / n) >= least_speedup]
    return max(enough)
