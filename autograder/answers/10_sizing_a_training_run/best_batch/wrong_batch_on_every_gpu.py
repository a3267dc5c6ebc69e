# fails: best_batch_by_hand, best_batch_properties
# says: the number of GPUs is missing under the root
def best_batch(num_gpus, critical_batch, seconds_per_token, step_overhead, sequence_length):
    def time(each):
        batch = each * num_gpus * sequence_length
        return (1 + critical_batch / batch) * (seconds_per_token * batch + step_overhead)

    return min(range(1, 20_001), key=time) * num_gpus * sequence_length
