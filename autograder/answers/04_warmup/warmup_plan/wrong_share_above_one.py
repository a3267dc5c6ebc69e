# fails: warmup_plan_by_hand
# says: a share is at most 1: the run ends inside the warmup
def warmup_plan(length, unit, global_batch, examples_per_epoch, num_epochs):
    examples = {"steps": length * global_batch, "epochs": length * examples_per_epoch, "examples": length}[unit]
    warmup_steps = math.ceil(examples / global_batch)
    return warmup_steps, warmup_steps / math.ceil(num_epochs * examples_per_epoch / global_batch)
