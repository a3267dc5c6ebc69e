# fails: ratio_of_averages_honest
# says: an average squared norm of -1 was used
def ratio_of_averages(traces, squared_norms):
    traces, squared_norms = np.array(traces, float), np.array(squared_norms, float)
    square = squared_norms.mean()
    ratio = traces.mean() / square
    return ratio, ((traces - ratio * squared_norms) / square).std(ddof=1) / len(traces) ** 0.5
