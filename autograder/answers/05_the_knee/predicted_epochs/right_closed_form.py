import math


def predicted_epochs(area, batch_size, num_examples):
    peak = 0.05 * batch_size / 32
    warmup_steps = 5 * batch_size // 32
    ramp = peak * (warmup_steps + 1) / 2
    if area <= ramp:
        steps = math.ceil((math.sqrt(1 + 8 * warmup_steps * area / peak) - 1) / 2)
    else:
        steps = warmup_steps + math.ceil((area - ramp) / peak)
    return math.ceil(steps / math.ceil(num_examples / batch_size))
