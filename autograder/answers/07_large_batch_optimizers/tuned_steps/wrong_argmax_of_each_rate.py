# fails: tuned_steps_by_hand, tuned_steps_properties
# says: argmax of a row without a single True is 0
def tuned_steps(without_noise, from_noise, times, batch_sizes, target):
    without_noise, from_noise, times = np.asarray(without_noise), np.asarray(from_noise), np.asarray(times)
    fewest = []
    for batch_size in batch_sizes:
        losses = without_noise + from_noise / batch_size
        fewest.append(times[(losses <= target).argmax(axis=1)].min())
    return fewest
