# fails: warmup_plan_by_hand, warmup_plan_properties
# says: both numbers of steps were rounded down; a step that is not full is a step
def warmup_plan(length, unit, global_batch, examples_per_epoch, num_epochs):
    examples = {"steps": length * global_batch, "epochs": length * examples_per_epoch, "examples": length}[unit]
    warmup_steps = int(examples // global_batch)
    num_steps = num_epochs * examples_per_epoch // global_batch
    return warmup_steps, min(1.0, warmup_steps / num_steps)
