# fails: predicted_epochs_by_hand, predicted_epochs_table
# says: an epoch has 5 steps here, the last of them with a smaller batch
import math


def predicted_epochs(area, batch_size, num_examples):
    peak, warmup_steps = 0.05 * batch_size / 32, 5 * batch_size // 32
    collected, steps = 0.0, 0
    while collected < area:
        steps += 1
        collected += peak * min(1, steps / warmup_steps)
    return math.ceil(steps / (num_examples // batch_size))
