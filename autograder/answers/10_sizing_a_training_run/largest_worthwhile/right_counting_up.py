def largest_worthwhile(critical_batch, examples_per_gpu, least_speedup):
    def steps(num_gpus):
        return 1 + critical_batch / (num_gpus * examples_per_gpu)

    num_gpus = 1
    while steps((num_gpus + 1) / 2) / steps(num_gpus + 1) >= least_speedup:
        num_gpus += 1
    return num_gpus
