# fails: largest_stable_rate_quadratic, largest_stable_rate_properties
# says: this is the high end of the range: it is known to be unstable. Only a stable middle replaces `low`
def largest_stable_rate(is_stable, low, high, precision):
    while high > low * (1 + precision):
        middle = (low * high) ** 0.5
        if is_stable(middle):
            high = middle
        else:
            low = middle
    return low
