# fails: accumulated_gradient_properties
def accumulated_gradient(gradients):
    total, accumulation_steps = np.float16(0), 0
    for gradient in gradients:
        total = total + gradient.astype(np.float16)
        accumulation_steps += 1
    return total / accumulation_steps
