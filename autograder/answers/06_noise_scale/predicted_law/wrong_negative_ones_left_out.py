# fails: predicted_law_properties
# says: the law at the run's own batch of 8
def predicted_law(traces, squared_norms, run_batch):
    s_min = e_min = 0.0
    for trace, squared_norm in zip(traces, squared_norms):
        if squared_norm > 0:
            s_min += squared_norm / (squared_norm + trace / run_batch)
            e_min += trace / (squared_norm + trace / run_batch)
    return s_min, e_min
