def run_cost(num_gpus, examples_per_gpu, min_examples, critical_batch, compute_seconds, communication_seconds):
    batch = np.multiply(num_gpus, examples_per_gpu)
    examples = np.where(batch <= critical_batch, min_examples, min_examples / critical_batch * batch)
    step = np.sum([compute_seconds, communication_seconds])
    return np.array([1, num_gpus]) * np.ceil(examples / batch) * step
