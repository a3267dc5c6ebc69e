def two_batch(small_sq_norm, big_sq_norm, small_batch, big_batch):
    if not 0 < small_batch < big_batch:
        raise ValueError("0 < small_batch < big_batch")
    equations = np.array([[1 / small_batch, 1], [1 / big_batch, 1]])
    return np.linalg.solve(equations, np.array([small_sq_norm, big_sq_norm]))
