def largest_stable_rate(is_stable, low, high, precision):
    a, b = np.log10(low), np.log10(high)
    while b - a > np.log10(1 + precision):
        middle = (a + b) / 2
        a, b = (middle, b) if is_stable(10**middle) else (a, middle)
    return 10**a
