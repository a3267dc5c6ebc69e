# fails: compute_optimal_by_hand, compute_optimal_is_least
def compute_optimal(flops, law):
    sizes = 10.0 ** np.arange(-3, 26, 0.25)
    size = sizes[np.argmin(law.loss(sizes, flops / 6 / sizes))]
    return size, flops / 6 / size
