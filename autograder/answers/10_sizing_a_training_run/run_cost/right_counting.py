def run_cost(num_gpus, examples_per_gpu, min_examples, critical_batch, compute_seconds, communication_seconds):
    batch = num_gpus * examples_per_gpu
    left = max(min_examples, min_examples * batch / critical_batch)
    seconds = 0.0
    while left > 1e-6:
        left -= batch
        seconds += compute_seconds + communication_seconds
    return seconds, num_gpus * seconds
