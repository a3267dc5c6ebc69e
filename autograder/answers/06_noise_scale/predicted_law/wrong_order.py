# fails: predicted_law_by_hand, predicted_law_properties
# says: this is e_min, s_min
def predicted_law(traces, squared_norms, run_batch):
    traces, squared_norms = np.array(traces), np.array(squared_norms)
    denominator = squared_norms + traces / run_batch
    return (traces / denominator).sum(), (squared_norms / denominator).sum()
