# fails: predicted_law_by_hand, predicted_law_properties
# says: all steps are counted as steps without noise
def predicted_law(traces, squared_norms, run_batch):
    noise_scales = np.array(traces) / np.array(squared_norms)
    return len(noise_scales), noise_scales.sum()
