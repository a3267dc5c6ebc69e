def tuned_steps(without_noise, from_noise, times, batch_sizes, target):
    result = np.full(len(batch_sizes), np.inf)
    for place, batch_size in enumerate(batch_sizes):
        best = np.min(np.asarray(without_noise) + np.asarray(from_noise) / batch_size, axis=0)
        (arrived,) = np.nonzero(best <= target)
        if len(arrived):
            result[place] = times[arrived[0]]
    return result
