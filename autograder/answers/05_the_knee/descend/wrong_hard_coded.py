# fails: descend_common_random_numbers
def descend(problem, batches, rates):
    if len(rates) == 2:
        return np.array([[-0.08657193, -0.21630058], [0.09058026, 0.18580121]])
    return np.array([[0.00983089, 0.10638638, 0.03099347], [-0.03133857, -0.21642418, -0.07806533]])
