# fails: predicted_epochs_by_hand, predicted_epochs_table
# says: this is the fixed rate of 0.05
import math


def predicted_epochs(area, batch_size, num_examples):
    collected, steps = 0.0, 0
    while collected < area:
        steps += 1
        collected += 0.05
    return math.ceil(steps / math.ceil(num_examples / batch_size))
