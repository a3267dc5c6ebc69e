# fails: predicted_law_by_hand, predicted_law_properties
# says: these are the examples that the run used; E_min are those of an endless number of tiny batches
def predicted_law(traces, squared_norms, run_batch):
    traces, squared_norms = np.array(traces), np.array(squared_norms)
    denominator = squared_norms + traces / run_batch
    return (squared_norms / denominator).sum(), len(traces) * run_batch
