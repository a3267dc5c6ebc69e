# fails: ratio_of_averages_by_hand, ratio_of_averages_honest
# says: a single negative squared norm says nothing yet; only their average decides
def ratio_of_averages(traces, squared_norms):
    traces, squared_norms = np.array(traces, float), np.array(squared_norms, float)
    if (squared_norms <= 0).any():
        return np.nan, np.nan
    ratio = traces.mean() / squared_norms.mean()
    u = (traces - ratio * squared_norms) / squared_norms.mean()
    return ratio, u.std(ddof=1) / len(u) ** 0.5
