def predicted_law(traces, squared_norms, run_batch):
    noise_scales = np.divide(traces, squared_norms)
    s_min = np.sum(1 / (1 + noise_scales / run_batch))
    return np.array([s_min, (len(noise_scales) - s_min) * run_batch])
