# fails: ratio_of_averages_by_hand
# says: trace and squared norm scatter together, so their errors do not simply add up
def ratio_of_averages(traces, squared_norms):
    traces, squared_norms = np.array(traces, float), np.array(squared_norms, float)
    if squared_norms.mean() <= 0:
        return np.nan, np.nan
    ratio = traces.mean() / squared_norms.mean()
    relative = [each.std(ddof=1) / each.mean() / len(each) ** 0.5 for each in (traces, squared_norms)]
    return ratio, ratio * np.hypot(*relative)
