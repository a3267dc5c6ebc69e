from largebatch.schedules import share_in_warmup, steps_for


def warmup_plan(length, unit, global_batch, examples_per_epoch, num_epochs):
    examples_per_unit = {"steps": global_batch, "epochs": examples_per_epoch, "examples": 1}
    warmup_steps = steps_for(length * examples_per_unit[unit], global_batch)
    return warmup_steps, share_in_warmup(warmup_steps, steps_for(num_epochs * examples_per_epoch, global_batch))
