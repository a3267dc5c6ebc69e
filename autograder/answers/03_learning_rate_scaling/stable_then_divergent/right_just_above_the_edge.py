def stable_then_divergent(factor):
    edge = 2 / factor
    return np.array([1.0, edge * (1 + 1e-9)])
