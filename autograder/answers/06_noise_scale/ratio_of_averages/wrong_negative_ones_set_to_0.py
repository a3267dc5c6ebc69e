# fails: ratio_of_averages_by_hand, ratio_of_averages_honest
# says: negative squared norms are set to 0; that makes the average too large
def ratio_of_averages(traces, squared_norms):
    traces, squared_norms = np.array(traces, float), np.clip(squared_norms, 0, None)
    square = squared_norms.mean()
    if square <= 0:
        return np.nan, np.nan
    ratio = traces.mean() / square
    return ratio, ((traces - ratio * squared_norms) / square).std(ddof=1) / len(traces) ** 0.5
