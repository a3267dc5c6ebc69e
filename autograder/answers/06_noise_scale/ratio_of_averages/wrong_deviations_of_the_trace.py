# fails: ratio_of_averages_by_hand, ratio_of_averages_honest
# says: u is divided by the average of the squared norms
def ratio_of_averages(traces, squared_norms):
    traces, squared_norms = np.array(traces, float), np.array(squared_norms, float)
    if squared_norms.mean() <= 0:
        return np.nan, np.nan
    ratio = traces.mean() / squared_norms.mean()
    return ratio, (traces - ratio * squared_norms).std(ddof=1) / len(traces) ** 0.5
