# fails: warmup_plan_by_hand
# says: the warmup is 500 steps long; it is the run that ends before it
def warmup_plan(length, unit, global_batch, examples_per_epoch, num_epochs):
    examples = {"steps": length * global_batch, "epochs": length * examples_per_epoch, "examples": length}[unit]
    num_steps = math.ceil(num_epochs * examples_per_epoch / global_batch)
    warmup_steps = min(num_steps, math.ceil(examples / global_batch))
    return warmup_steps, warmup_steps / num_steps
