from functools import reduce


def accumulated_gradient(gradients):
    pairs = ((gradient, 1) for gradient in gradients)
    total, count = reduce(lambda so_far, new: (so_far[0] + new[0], so_far[1] + new[1]), pairs)
    return np.divide(total, count)
