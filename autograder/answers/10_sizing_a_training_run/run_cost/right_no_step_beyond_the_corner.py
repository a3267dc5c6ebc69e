def run_cost(num_gpus, examples_per_gpu, min_examples, critical_batch, compute_seconds, communication_seconds):
    # past the corner the steps stay what they are at it
    steps = -(-min_examples // min(num_gpus * examples_per_gpu, critical_batch))
    return [steps * (compute_seconds + communication_seconds) * gpus for gpus in (1, num_gpus)]
