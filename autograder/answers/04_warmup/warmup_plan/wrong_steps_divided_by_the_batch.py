# fails: warmup_plan_by_hand, warmup_plan_properties
# says: these are steps already: do not divide them by the batch
def warmup_plan(length, unit, global_batch, examples_per_epoch, num_epochs):
    if unit == "epochs":
        length = length * examples_per_epoch
    warmup_steps = math.ceil(length / global_batch)
    num_steps = math.ceil(num_epochs * examples_per_epoch / global_batch)
    return warmup_steps, min(1.0, warmup_steps / num_steps)
