# fails: predicted_law_by_hand, predicted_law_properties
# says: the plain mean of the noise scales: a step counts by what it does without noise
def predicted_law(traces, squared_norms, run_batch):
    noise_scale = np.mean(np.array(traces) / np.array(squared_norms))
    s_min = len(traces) / (1 + noise_scale / run_batch)
    return s_min, s_min * noise_scale
