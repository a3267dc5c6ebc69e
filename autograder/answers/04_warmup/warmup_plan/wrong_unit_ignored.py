# fails: warmup_plan_by_hand, warmup_plan_properties
# says: these are epochs; the optimizer sees steps
def warmup_plan(length, unit, global_batch, examples_per_epoch, num_epochs):
    num_steps = math.ceil(num_epochs * examples_per_epoch / global_batch)
    return length, min(1.0, length / num_steps)
