# fails: tuned_steps_by_hand, tuned_steps_properties
# says: this takes the rate that is lowest at the last time
def tuned_steps(without_noise, from_noise, times, batch_sizes, target):
    without_noise, from_noise, times = np.asarray(without_noise), np.asarray(from_noise), np.asarray(times)
    fewest = []
    for batch_size in batch_sizes:
        losses = without_noise + from_noise / batch_size
        curve = losses[losses[:, -1].argmin()]
        reached = curve <= target
        fewest.append(times[reached].min() if reached.any() else np.inf)
    return fewest
