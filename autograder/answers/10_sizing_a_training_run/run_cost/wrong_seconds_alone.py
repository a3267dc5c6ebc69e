# fails: run_cost_by_hand, run_cost_properties
# says: two numbers, the seconds and the GPU-seconds
def run_cost(num_gpus, examples_per_gpu, min_examples, critical_batch, compute_seconds, communication_seconds):
    batch = num_gpus * examples_per_gpu
    examples = min_examples * max(1, batch / critical_batch)
    return math.ceil(examples / batch) * (compute_seconds + communication_seconds)
