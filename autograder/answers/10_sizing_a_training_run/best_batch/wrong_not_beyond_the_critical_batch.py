# fails: best_batch_by_hand, best_batch_properties
# says: with more GPUs than N_half a larger one is faster
def best_batch(num_gpus, critical_batch, seconds_per_token, step_overhead, sequence_length):
    one_each = num_gpus * sequence_length
    exact = min(critical_batch, math.sqrt(num_gpus * critical_batch * step_overhead / seconds_per_token))
    return max(1, math.floor(exact / one_each)) * one_each
