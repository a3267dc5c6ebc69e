def make_schedule(parameters, global_batch, warmup_examples, reference_batch, reference_rate, momentum):
    n = -(-warmup_examples // global_batch)
    start = reference_rate * (1 - momentum)
    peak = start * global_batch / reference_batch

    def rate(t):
        return peak if t >= n else start + (peak - start) * t / n

    optimizer = torch.optim.SGD(parameters, lr=1.0, momentum=momentum)
    return optimizer, LambdaLR(optimizer, rate)
