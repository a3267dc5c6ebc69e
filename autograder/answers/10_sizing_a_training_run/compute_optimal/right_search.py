def compute_optimal(flops, law):
    sizes = np.geomspace(0.01, 1e26, 100_001)
    losses = law.loss(sizes, flops / 6 / sizes)
    size = sizes[np.argmin(losses)]
    return np.array([size, flops / 6 / size])
