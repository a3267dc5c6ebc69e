# fails: make_schedule_any_run
# says: batches of 64, 640 warmup examples, momentum 0.9
def make_schedule(parameters, global_batch, warmup_examples, reference_batch, reference_rate, momentum):
    optimizer = torch.optim.SGD(parameters, lr=0.016, momentum=0.9)
    return optimizer, LinearLR(optimizer, start_factor=1 / 8, total_iters=10)
