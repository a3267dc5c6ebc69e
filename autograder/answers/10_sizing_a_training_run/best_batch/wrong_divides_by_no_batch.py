# fails: best_batch_by_hand, best_batch_properties
# says: rounded down from less than a sequence
def best_batch(num_gpus, critical_batch, seconds_per_token, step_overhead, sequence_length):
    def time(batch):
        return (1 + critical_batch / batch) * (seconds_per_token * batch / num_gpus + step_overhead)

    one_each = num_gpus * sequence_length
    below = int(math.sqrt(num_gpus * critical_batch * step_overhead / seconds_per_token) / one_each)
    return min((below * one_each, (below + 1) * one_each), key=time)
