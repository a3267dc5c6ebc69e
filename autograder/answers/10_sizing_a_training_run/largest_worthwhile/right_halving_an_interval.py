def largest_worthwhile(critical_batch, examples_per_gpu, least_speedup):
    knee = critical_batch / examples_per_gpu

    def bought(num_gpus):
        return (num_gpus + 2 * knee) / (num_gpus + knee)

    low, high = 1, 2
    while bought(high) >= least_speedup:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if bought(middle) >= least_speedup else (low, middle)
    return low
