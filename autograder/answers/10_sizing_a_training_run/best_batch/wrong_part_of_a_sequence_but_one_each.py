# fails: best_batch_by_hand, best_batch_properties
# says: these are not whole sequences on each GPU
def best_batch(num_gpus, critical_batch, seconds_per_token, step_overhead, sequence_length):
    one_each = num_gpus * sequence_length
    exact = math.sqrt(num_gpus * critical_batch * step_overhead / seconds_per_token)
    return max(one_each, exact)
