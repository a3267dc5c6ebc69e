# fails: make_schedule_rates, make_schedule_any_run
# says: the ramp starts at zero; it should start at the rate of the reference batch
def make_schedule(parameters, global_batch, warmup_examples, reference_batch, reference_rate, momentum):
    peak_rate = reference_rate * global_batch / reference_batch * (1 - momentum)
    optimizer = torch.optim.SGD(parameters, lr=peak_rate, momentum=momentum)
    warmup_steps = math.ceil(warmup_examples / global_batch)
    return optimizer, LambdaLR(optimizer, lambda t: min(1, t / warmup_steps))
