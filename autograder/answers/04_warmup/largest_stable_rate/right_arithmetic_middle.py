def largest_stable_rate(is_stable, low, high, precision):
    # More trials than with the middle of factors, but fewer than 40.
    while (high - low) / low > precision:
        middle = low + (high - low) / 2
        if not is_stable(middle):
            high = middle
        else:
            low = middle
    return low
