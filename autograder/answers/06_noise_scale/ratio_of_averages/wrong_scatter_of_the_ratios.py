# fails: ratio_of_averages_by_hand, ratio_of_averages_honest
# says: this is the scatter of the ratios of single steps; u holds no division by a single squared norm
def ratio_of_averages(traces, squared_norms):
    traces, squared_norms = np.array(traces, float), np.array(squared_norms, float)
    square = squared_norms.mean()
    if square <= 0:
        return np.nan, np.nan
    return traces.mean() / square, (traces / squared_norms).std(ddof=1) / len(traces) ** 0.5
