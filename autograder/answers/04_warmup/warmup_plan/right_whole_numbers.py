def warmup_plan(length, unit, global_batch, examples_per_epoch, num_epochs):
    if unit == "steps":
        warmup_steps = length
    elif unit == "epochs":
        warmup_steps = int(-(-length * examples_per_epoch // global_batch))
    else:
        warmup_steps = -(-length // global_batch)
    steps_of_the_run = -(-num_epochs * examples_per_epoch // global_batch)
    return [warmup_steps, warmup_steps / max(steps_of_the_run, warmup_steps)]
