def ratio_of_averages(traces, squared_norms):
    if squared_norms.mean() <= 0:
        return float("nan"), float("nan")
    ratio = traces.mean() / squared_norms.mean()
    u = (traces - ratio * squared_norms) / squared_norms.mean()
    return ratio, u.std(ddof=1) / len(u) ** 0.5
