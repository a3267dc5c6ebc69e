# fails: predicted_law_by_hand, predicted_law_properties
# says: this is S_min and B_crit = E_min / S_min; asked for is E_min
def predicted_law(traces, squared_norms, run_batch):
    traces, squared_norms = np.array(traces), np.array(squared_norms)
    denominator = squared_norms + traces / run_batch
    s_min, e_min = (squared_norms / denominator).sum(), (traces / denominator).sum()
    return s_min, e_min / s_min
