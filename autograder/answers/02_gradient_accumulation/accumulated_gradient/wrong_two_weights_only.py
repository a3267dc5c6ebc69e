# fails: accumulated_gradient_properties
def accumulated_gradient(gradients):
    total, accumulation_steps = np.zeros(2), 0
    for gradient in gradients:
        total = total + gradient
        accumulation_steps += 1
    return total / accumulation_steps
