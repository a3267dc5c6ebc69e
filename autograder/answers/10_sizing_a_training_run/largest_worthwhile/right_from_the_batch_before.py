def largest_worthwhile(critical_batch, examples_per_gpu, least_speedup):
    # (1 + 1/x) / (1 + 1/(2x)) = f for the batch before the doubling, x of the critical one
    before = (2 - least_speedup) / (2 * least_speedup - 2) * critical_batch
    return float(2 * before // examples_per_gpu)
