# fails: predicted_law_by_hand, predicted_law_properties
# says: 1 + B_0 / b where it should be 1 + b / B_0
def predicted_law(traces, squared_norms, run_batch):
    noise_scales = np.array(traces) / np.array(squared_norms)
    without_noise = 1 / (1 + run_batch / noise_scales)
    return without_noise.sum(), (noise_scales * without_noise).sum()
