# fails: tuned_steps_by_hand, tuned_steps_properties
# says: this is the last time of the table
def tuned_steps(without_noise, from_noise, times, batch_sizes, target):
    without_noise, from_noise, times = np.asarray(without_noise), np.asarray(from_noise), np.asarray(times)
    fewest = []
    for batch_size in batch_sizes:
        losses = without_noise + from_noise / batch_size
        best = losses.min(axis=0)
        for time, loss in zip(times, best):
            if loss <= target:
                break
        fewest.append(time)
    return fewest
