def largest_worthwhile(critical_batch, examples_per_gpu, least_speedup):
    batches = np.arange(1, 1_000_000) * examples_per_gpu
    bought = (1 + 2 * critical_batch / batches) / (1 + critical_batch / batches)
    return np.sum(bought >= least_speedup)
