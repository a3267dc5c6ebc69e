# fails: predicted_law_properties
# says: negative squared norms are set to 0: leave them as they are
def predicted_law(traces, squared_norms, run_batch):
    traces, squared_norms = np.array(traces), np.maximum(squared_norms, 0)
    denominator = squared_norms + traces / run_batch
    return (squared_norms / denominator).sum(), (traces / denominator).sum()
