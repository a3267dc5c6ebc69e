def batch_moments(gradients, batch):
    # Of the B² products in g_B², B hold the same draw twice; in the others the draws are independent.
    mean_square = gradients.dot(gradients) / gradients.size / batch + (1 - 1 / batch) * gradients.mean() ** 2
    return np.array([mean_square - gradients.mean() ** 2, mean_square])
