def ratio_of_averages(traces, squared_norms):
    t, q = (torch.as_tensor(values, dtype=torch.float64) for values in (traces, squared_norms))
    if q.mean() <= 0:
        return torch.tensor([torch.nan, torch.nan])
    ratio = t.mean() / q.mean()
    return torch.stack([ratio, ((t - ratio * q) / q.mean()).std() / len(t) ** 0.5])
