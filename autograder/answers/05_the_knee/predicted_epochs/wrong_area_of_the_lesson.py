# fails: predicted_epochs_table
import math


def predicted_epochs(area, batch_size, num_examples):
    peak, warmup_steps = 0.05 * batch_size / 32, 5 * batch_size // 32
    collected, steps = 0.0, 0
    while collected < 60.7:
        steps += 1
        collected += peak * min(1, steps / warmup_steps)
    return math.ceil(steps / math.ceil(num_examples / batch_size))
