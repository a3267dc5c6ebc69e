# fails: ratio_of_averages_by_hand, ratio_of_averages_honest
# says: the standard error is the standard deviation over the square root of n, not over n
def ratio_of_averages(traces, squared_norms):
    traces, squared_norms = np.array(traces, float), np.array(squared_norms, float)
    square = squared_norms.mean()
    if square <= 0:
        return np.nan, np.nan
    ratio = traces.mean() / square
    return ratio, ((traces - ratio * squared_norms) / square).std(ddof=1) / len(traces)
