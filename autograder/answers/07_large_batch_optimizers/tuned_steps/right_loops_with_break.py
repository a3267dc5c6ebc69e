def tuned_steps(without_noise, from_noise, times, batch_sizes, target):
    answer = []
    for batch_size in batch_sizes:
        fewest = float("inf")
        for row, noise_row in zip(without_noise, from_noise):
            for time, quiet, noisy in zip(times, row, noise_row):
                if quiet + noisy / batch_size <= target:
                    fewest = min(fewest, time)
                    break
        answer.append(fewest)
    return answer
