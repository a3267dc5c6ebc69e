# fails: compute_optimal_is_least
# says: share of the budget used, gain of more parameters / gain of more tokens
def compute_optimal(flops, law):
    sizes = np.geomspace(1, 1e13, 20_001)
    size = sizes[np.argmin(law.loss(sizes, flops / 6 / sizes))]
    return size, flops / 6 / size
