# fails: best_batch_by_hand, best_batch_properties
# says: two sequences a GPU are a little faster
def best_batch(num_gpus, critical_batch, seconds_per_token, step_overhead, sequence_length):
    one_each = num_gpus * sequence_length
    exact = math.sqrt(num_gpus * critical_batch * step_overhead / seconds_per_token)
    return max(1, exact // one_each) * one_each
