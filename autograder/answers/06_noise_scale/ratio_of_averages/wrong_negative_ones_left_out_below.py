# fails: ratio_of_averages_by_hand, ratio_of_averages_honest
# says: negative squared norms are left out of the denominator; that makes it too large
def ratio_of_averages(traces, squared_norms):
    traces, squared_norms = np.array(traces, float), np.array(squared_norms, float)
    square = squared_norms[squared_norms > 0].mean()
    ratio = traces.mean() / square
    return ratio, ((traces - ratio * squared_norms) / square).std(ddof=1) / len(traces) ** 0.5
