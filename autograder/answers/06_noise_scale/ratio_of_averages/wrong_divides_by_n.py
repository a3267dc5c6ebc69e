# fails: ratio_of_averages_by_hand, ratio_of_averages_honest
# says: this divides by n; with the mean taken from the same numbers it is n - 1
def ratio_of_averages(traces, squared_norms):
    traces, squared_norms = np.array(traces, float), np.array(squared_norms, float)
    square = squared_norms.mean()
    if square <= 0:
        return np.nan, np.nan
    ratio = traces.mean() / square
    return ratio, ((traces - ratio * squared_norms) / square).std() / len(traces) ** 0.5
