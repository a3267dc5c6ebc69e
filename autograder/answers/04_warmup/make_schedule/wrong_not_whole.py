# fails: make_schedule_rates, make_schedule_any_run
# says: 4700 / 512 is not a whole number, and with it LinearLR never reaches the peak: round up
def make_schedule(parameters, global_batch, warmup_examples, reference_batch, reference_rate, momentum):
    peak_rate = reference_rate * global_batch / reference_batch * (1 - momentum)
    optimizer = torch.optim.SGD(parameters, lr=peak_rate, momentum=momentum)
    warmup_steps = warmup_examples / global_batch
    return optimizer, LinearLR(optimizer, start_factor=reference_batch / global_batch, total_iters=warmup_steps)
