# fails: clipped_gradient_properties
# says: a single micro-batch, norm 5, limit 10
def clipped_gradient(gradients, max_norm):
    mean = np.mean(gradients, axis=0)
    squares = (mean**2).sum()
    return mean * max_norm / np.sqrt(squares) if squares > max_norm else mean
