# fails: warmup_plan_by_hand, warmup_plan_properties
# says: the share is in whole steps: 1564 of 28 151
def warmup_plan(length, unit, global_batch, examples_per_epoch, num_epochs):
    examples = {"steps": length * global_batch, "epochs": length * examples_per_epoch, "examples": length}[unit]
    return math.ceil(examples / global_batch), min(1.0, examples / (num_epochs * examples_per_epoch))
