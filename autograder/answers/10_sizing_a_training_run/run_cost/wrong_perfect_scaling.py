# fails: run_cost_by_hand, run_cost_properties
# says: the examples stay at 200 000
def run_cost(num_gpus, examples_per_gpu, min_examples, critical_batch, compute_seconds, communication_seconds):
    batch = num_gpus * examples_per_gpu
    examples = min_examples
    steps = math.ceil(examples / batch)
    seconds = steps * (compute_seconds + communication_seconds)
    return seconds, num_gpus * seconds
