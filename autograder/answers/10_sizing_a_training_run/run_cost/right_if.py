def run_cost(num_gpus, examples_per_gpu, min_examples, critical_batch, compute_seconds, communication_seconds):
    batch = num_gpus * examples_per_gpu
    examples = min_examples
    if batch > critical_batch:
        examples = min_examples * batch / critical_batch
    steps = math.ceil(examples / batch)
    seconds = steps * (compute_seconds + communication_seconds)
    return seconds, seconds * num_gpus
