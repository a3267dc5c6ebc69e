def predicted_law(traces, squared_norms, run_batch):
    denominator = squared_norms + traces / run_batch
    return (squared_norms / denominator).sum(), (traces / denominator).sum()
