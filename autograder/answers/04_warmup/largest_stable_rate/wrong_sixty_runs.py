# fails: largest_stable_rate_quadratic, largest_stable_rate_properties
# says: and stop when high / low is at most 1 + precision
def largest_stable_rate(is_stable, low, high, precision):
    for _ in range(60):
        middle = (low * high) ** 0.5
        if is_stable(middle):
            low = middle
        else:
            high = middle
    return low
