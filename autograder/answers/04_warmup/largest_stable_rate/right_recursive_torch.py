def largest_stable_rate(is_stable, low, high, precision):
    if high / low <= 1 + precision:
        return low
    middle = torch.tensor(low * high, dtype=torch.float64).sqrt()
    if is_stable(middle):
        return largest_stable_rate(is_stable, middle, high, precision)
    return largest_stable_rate(is_stable, low, middle, precision)
