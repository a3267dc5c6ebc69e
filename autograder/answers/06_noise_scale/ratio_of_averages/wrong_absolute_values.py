# fails: ratio_of_averages_by_hand, ratio_of_averages_honest
# says: the absolute value of the squared norms: their noise can no longer cancel
def ratio_of_averages(traces, squared_norms):
    traces, squared_norms = np.array(traces, float), np.abs(squared_norms)
    square = squared_norms.mean()
    ratio = traces.mean() / square
    return ratio, ((traces - ratio * squared_norms) / square).std(ddof=1) / len(traces) ** 0.5
