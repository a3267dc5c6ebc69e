# fails: predicted_epochs_by_hand, predicted_epochs_table
# says: there are 4096 examples here
import math


def predicted_epochs(area, batch_size, num_examples):
    peak, warmup_steps = 0.05 * batch_size / 32, 5 * batch_size // 32
    collected, steps = 0.0, 0
    while collected < area:
        steps += 1
        collected += peak * min(1, steps / warmup_steps)
    return math.ceil(steps / math.ceil(20_000 / batch_size))
