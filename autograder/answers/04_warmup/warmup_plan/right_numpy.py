def warmup_plan(length, unit, global_batch, examples_per_epoch, num_epochs):
    examples = length
    if unit == "steps":
        examples = length * global_batch
    if unit == "epochs":
        examples = length * examples_per_epoch
    warmup_steps, num_steps = np.ceil(np.array([examples, num_epochs * examples_per_epoch]) / global_batch)
    return np.array([warmup_steps, np.clip(warmup_steps / num_steps, 0, 1)])
