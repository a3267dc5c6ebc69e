def predicted_law(traces, squared_norms, run_batch):
    s_min = e_min = 0.0
    for trace, squared_norm in zip(traces, squared_norms):
        denominator = squared_norm + trace / run_batch
        s_min += squared_norm / denominator
        e_min += trace / denominator
    return s_min, e_min
