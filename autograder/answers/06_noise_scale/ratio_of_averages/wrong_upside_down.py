# fails: ratio_of_averages_by_hand, ratio_of_averages_honest
# says: upside down
def ratio_of_averages(traces, squared_norms):
    traces, squared_norms = np.array(traces, float), np.array(squared_norms, float)
    trace = traces.mean()
    if squared_norms.mean() <= 0:
        return np.nan, np.nan
    ratio = squared_norms.mean() / trace
    return ratio, ((squared_norms - ratio * traces) / trace).std(ddof=1) / len(traces) ** 0.5
