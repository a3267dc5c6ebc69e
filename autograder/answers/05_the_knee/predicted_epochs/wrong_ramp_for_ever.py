# fails: predicted_epochs_by_hand, predicted_epochs_table
# says: the ramp ends after 40 steps
import math


def predicted_epochs(area, batch_size, num_examples):
    peak, warmup_steps = 0.05 * batch_size / 32, 5 * batch_size // 32
    collected, steps = 0.0, 0
    while collected < area:
        steps += 1
        collected += peak * steps / warmup_steps
    return math.ceil(steps / math.ceil(num_examples / batch_size))
