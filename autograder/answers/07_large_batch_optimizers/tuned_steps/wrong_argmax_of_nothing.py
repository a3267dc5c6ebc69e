# fails: tuned_steps_by_hand, tuned_steps_properties
# says: argmax of an array without a single True is 0: ask for any() first
def tuned_steps(without_noise, from_noise, times, batch_sizes, target):
    without_noise, from_noise, times = np.asarray(without_noise), np.asarray(from_noise), np.asarray(times)
    fewest = []
    for batch_size in batch_sizes:
        losses = without_noise + from_noise / batch_size
        fewest.append(times[(losses <= target).any(axis=0).argmax()])
    return fewest
