def largest_stable_rate(is_stable, low, high, precision):
    for _ in range(40):
        middle = math.sqrt(low * high)
        if is_stable(middle):
            low = middle
        else:
            high = middle
    return high / (1 + precision)
