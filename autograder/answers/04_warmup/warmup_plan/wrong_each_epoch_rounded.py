# fails: warmup_plan_by_hand, warmup_plan_properties
# says: each epoch was rounded up on its own; epochs follow each other without a gap
def warmup_plan(length, unit, global_batch, examples_per_epoch, num_epochs):
    steps_per_epoch = math.ceil(examples_per_epoch / global_batch)
    warmup_steps = {
        "steps": length,
        "epochs": math.ceil(length * steps_per_epoch),
        "examples": math.ceil(length / global_batch),
    }[unit]
    return warmup_steps, min(1.0, warmup_steps / (num_epochs * steps_per_epoch))
