# fails: ratio_of_averages_honest
# says: an average squared norm of 0 was used
def ratio_of_averages(traces, squared_norms):
    traces, squared_norms = np.array(traces, float), np.array(squared_norms, float)
    square = squared_norms.mean()
    if square < 0:
        return np.nan, np.nan
    with np.errstate(divide="ignore"):
        ratio = traces.mean() / square
    if np.isinf(ratio):
        return ratio, ratio
    return ratio, ((traces - ratio * squared_norms) / square).std(ddof=1) / len(traces) ** 0.5
