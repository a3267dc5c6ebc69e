def clipped_gradient(gradients, max_norm):
    accumulation_steps = len(gradients)
    total = np.array(gradients).sum(axis=0)
    norm = np.sqrt((total**2).sum())
    if norm > accumulation_steps * max_norm:
        total *= accumulation_steps * max_norm / norm
    return total / accumulation_steps
