def best_batch(num_gpus, critical_batch, seconds_per_token, step_overhead, sequence_length):
    batches = np.arange(1, 20_001) * num_gpus * sequence_length
    steps = 1 / critical_batch + 1 / batches
    return batches[np.argmin(steps * (seconds_per_token / num_gpus * batches + step_overhead))]
