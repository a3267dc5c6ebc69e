# fails: run_cost_properties
# says: (one GPU)
def run_cost(num_gpus, examples_per_gpu, min_examples, critical_batch, compute_seconds, communication_seconds):
    batch = num_gpus * examples_per_gpu
    examples = min_examples * max(1, batch / critical_batch)
    steps = int(examples / batch) + 1
    seconds = steps * (compute_seconds + communication_seconds)
    return seconds, num_gpus * seconds
