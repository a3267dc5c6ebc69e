# fails: predicted_law_by_hand, predicted_law_properties
# says: these are means over the steps; asked for are sums
def predicted_law(traces, squared_norms, run_batch):
    traces, squared_norms = np.array(traces), np.array(squared_norms)
    denominator = squared_norms + traces / run_batch
    return (squared_norms / denominator).mean(), (traces / denominator).mean()
