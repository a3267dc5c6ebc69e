# fails: tuned_steps_by_hand, tuned_steps_properties
# says: this is where the loss is lowest; asked for is where it first comes down to the target
def tuned_steps(without_noise, from_noise, times, batch_sizes, target):
    without_noise, from_noise, times = np.asarray(without_noise), np.asarray(from_noise), np.asarray(times)
    fewest = []
    for batch_size in batch_sizes:
        losses = without_noise + from_noise / batch_size
        best = losses.min(axis=0)
        fewest.append(times[best.argmin()] if best.min() <= target else np.inf)
    return fewest
