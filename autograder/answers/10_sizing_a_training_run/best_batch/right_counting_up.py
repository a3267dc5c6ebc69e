def best_batch(num_gpus, critical_batch, seconds_per_token, step_overhead, sequence_length):
    def time(each):
        batch = each * num_gpus * sequence_length
        return (1 + critical_batch / batch) * (seconds_per_token * batch / num_gpus + step_overhead)

    each = 1
    while time(each + 1) < time(each):
        each += 1
    return each * num_gpus * sequence_length
