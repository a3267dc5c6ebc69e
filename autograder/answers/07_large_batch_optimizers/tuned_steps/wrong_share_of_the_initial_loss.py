# fails: tuned_steps_by_hand, tuned_steps_properties
# says: the target is a loss already, not a share of the initial one
def tuned_steps(without_noise, from_noise, times, batch_sizes, target):
    without_noise, from_noise, times = np.asarray(without_noise), np.asarray(from_noise), np.asarray(times)
    fewest = []
    for batch_size in batch_sizes:
        losses = without_noise + from_noise / batch_size
        reached = (losses <= target * losses[0, 0]).any(axis=0)
        fewest.append(times[reached].min() if reached.any() else np.inf)
    return fewest
