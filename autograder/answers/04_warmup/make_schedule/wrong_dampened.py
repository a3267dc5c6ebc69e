# fails: make_schedule_any_run
# says: distance of a late step with gradient 1
def make_schedule(parameters, global_batch, warmup_examples, reference_batch, reference_rate, momentum):
    peak_rate = reference_rate * global_batch / reference_batch * (1 - momentum)
    optimizer = torch.optim.SGD(parameters, lr=peak_rate, momentum=momentum, dampening=momentum)
    warmup_steps = math.ceil(warmup_examples / global_batch)
    return optimizer, LinearLR(optimizer, start_factor=reference_batch / global_batch, total_iters=warmup_steps)
