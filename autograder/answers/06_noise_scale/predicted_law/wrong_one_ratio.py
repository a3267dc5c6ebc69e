# fails: predicted_law_by_hand, predicted_law_properties
# says: one ratio for the whole run, sum over sum: sum the steps' own shares
def predicted_law(traces, squared_norms, run_batch):
    noise_scale = np.sum(traces) / np.sum(squared_norms)
    s_min = len(traces) / (1 + noise_scale / run_batch)
    return s_min, s_min * noise_scale
