# fails: ratio_of_averages_by_hand, ratio_of_averages_honest
# says: this is the error of the trace alone; the squared norm scatters more
def ratio_of_averages(traces, squared_norms):
    traces, squared_norms = np.array(traces, float), np.array(squared_norms, float)
    square = squared_norms.mean()
    if square <= 0:
        return np.nan, np.nan
    return traces.mean() / square, traces.std(ddof=1) / square / len(traces) ** 0.5
