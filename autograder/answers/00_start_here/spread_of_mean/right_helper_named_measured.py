def measured(variance, examples):
    return (variance / examples) ** 0.5


def spread_of_mean(spread, batch_size):
    return measured(spread**2, batch_size)
