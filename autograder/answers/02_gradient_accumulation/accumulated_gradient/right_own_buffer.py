def accumulated_gradient(gradients):
    buffer = np.array(next(gradients))  # a copy: the caller keeps the first array
    accumulation_steps = 1
    for gradient in gradients:
        buffer += gradient
        accumulation_steps += 1
    buffer /= accumulation_steps
    return buffer
