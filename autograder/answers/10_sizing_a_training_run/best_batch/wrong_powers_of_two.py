# fails: best_batch_by_hand, best_batch_properties
def best_batch(num_gpus, critical_batch, seconds_per_token, step_overhead, sequence_length):
    def time(each):
        batch = each * num_gpus * sequence_length
        return (1 + critical_batch / batch) * (seconds_per_token * each * sequence_length + step_overhead)

    return min((2**power for power in range(20)), key=time) * num_gpus * sequence_length
