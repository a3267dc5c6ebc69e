# fails: predicted_epochs_by_hand, predicted_epochs_table
# says: this rounds down; the target is reached inside the last epoch
def predicted_epochs(area, batch_size, num_examples):
    peak, warmup_steps = 0.05 * batch_size / 32, 5 * batch_size / 32
    steps = (np.sqrt(1 + 8 * warmup_steps * area / peak) - 1) / 2
    if steps > warmup_steps:
        steps = (warmup_steps - 1) / 2 + area / peak
    return int(steps / np.ceil(num_examples / batch_size))
