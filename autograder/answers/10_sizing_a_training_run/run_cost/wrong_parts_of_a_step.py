# fails: run_cost_by_hand, run_cost_properties
# says: there is no part of a step: round their number up
def run_cost(num_gpus, examples_per_gpu, min_examples, critical_batch, compute_seconds, communication_seconds):
    batch = num_gpus * examples_per_gpu
    examples = min_examples * max(1, batch / critical_batch)
    steps = examples / batch
    seconds = steps * (compute_seconds + communication_seconds)
    return seconds, num_gpus * seconds
