# fails: predicted_law_by_hand, predicted_law_properties
# says: the noise of a batch is tr Σ / B_0, not tr Σ
def predicted_law(traces, squared_norms, run_batch):
    traces, squared_norms = np.array(traces), np.array(squared_norms)
    denominator = squared_norms + traces
    return (squared_norms / denominator).sum(), (traces / denominator).sum()
