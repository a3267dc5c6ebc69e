def spread_of_mean(spread, batch_size):
    total = 0.0
    for _ in range(batch_size):
        total += (spread / batch_size) ** 2
    return total**0.5
