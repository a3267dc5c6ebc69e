# fails: tuned_steps_by_hand, tuned_steps_properties
# says: this takes one rate for all batches, the best for the largest of them; tune it for each
def tuned_steps(without_noise, from_noise, times, batch_sizes, target):
    without_noise, from_noise, times = np.asarray(without_noise), np.asarray(from_noise), np.asarray(times)
    reached = without_noise + from_noise / max(batch_sizes) <= target
    first = np.where(reached, times, np.inf).min(axis=1)
    rate = first.argmin()
    fewest = []
    for batch_size in batch_sizes:
        reached = without_noise[rate] + from_noise[rate] / batch_size <= target
        fewest.append(times[reached].min() if reached.any() else np.inf)
    return fewest
