# fails: best_batch_by_hand, best_batch_properties
# says: the number of GPUs stands under the root, not before it
def best_batch(num_gpus, critical_batch, seconds_per_token, step_overhead, sequence_length):
    def time(batch):
        return (1 + critical_batch / batch) * (seconds_per_token * batch / num_gpus + step_overhead)

    one_each = num_gpus * sequence_length
    below = num_gpus * math.sqrt(critical_batch * step_overhead / seconds_per_token) // one_each
    return min((max(1, below) * one_each, (below + 1) * one_each), key=time)
