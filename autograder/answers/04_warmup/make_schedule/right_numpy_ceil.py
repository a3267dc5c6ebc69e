def make_schedule(parameters, global_batch, warmup_examples, reference_batch, reference_rate, momentum):
    factor = global_batch / reference_batch
    optimizer = torch.optim.SGD(parameters, (1 - momentum) * reference_rate * factor, momentum)
    length = np.ceil(warmup_examples / global_batch)  # 10.0, which is whole
    ramp = LinearLR(optimizer, start_factor=1 / factor, end_factor=1.0, total_iters=length)
    return [optimizer, ramp]
