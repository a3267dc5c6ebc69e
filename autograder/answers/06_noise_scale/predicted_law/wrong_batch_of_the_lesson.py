# fails: predicted_law_properties
# says: the law at the run's own batch of 8
def predicted_law(traces, squared_norms, run_batch):
    traces, squared_norms = np.array(traces), np.array(squared_norms)
    denominator = squared_norms + traces / 32
    return (squared_norms / denominator).sum(), (traces / denominator).sum()
