def best_batch(num_gpus, critical_batch, seconds_per_token, step_overhead, sequence_length):
    # the wasted work, which grows with the batch, and the waits of more steps, which shrink
    one_each = num_gpus * sequence_length
    exact = (num_gpus * critical_batch * step_overhead / seconds_per_token) ** 0.5
    candidates = [k * one_each for k in (exact // one_each, exact // one_each + 1) if k]
    pieces = [seconds_per_token * b / num_gpus + step_overhead * critical_batch / b for b in candidates]
    return candidates[pieces.index(min(pieces))]
