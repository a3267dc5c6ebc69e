# fails: best_batch_by_hand, best_batch_properties
# says: the best one depends on the GPUs and the network
def best_batch(num_gpus, critical_batch, seconds_per_token, step_overhead, sequence_length):
    one_each = num_gpus * sequence_length
    exact = critical_batch
    return exact
