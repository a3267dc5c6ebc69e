# fails: compute_optimal_by_hand, compute_optimal_is_least
# says: the search begins at 1e+06 parameters and ends there
def compute_optimal(flops, law):
    sizes = np.geomspace(1e6, 1e18, 100_001)
    size = sizes[np.argmin(law.loss(sizes, flops / 6 / sizes))]
    return size, flops / 6 / size
