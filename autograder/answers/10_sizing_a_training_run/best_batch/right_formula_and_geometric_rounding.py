def best_batch(num_gpus, critical_batch, seconds_per_token, step_overhead, sequence_length):
    each = math.sqrt(critical_batch * step_overhead / (seconds_per_token * num_gpus)) / sequence_length
    below = max(1, int(each))
    each = below if each**2 <= below * (below + 1) else below + 1
    return each * num_gpus * sequence_length
