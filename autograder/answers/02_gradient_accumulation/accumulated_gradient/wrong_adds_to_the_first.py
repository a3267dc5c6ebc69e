# fails: accumulated_gradient_properties
# says: the caller's gradients, which must not change
def accumulated_gradient(gradients):
    total, accumulation_steps = next(gradients), 1
    for gradient in gradients:
        total += gradient
        accumulation_steps += 1
    return total / accumulation_steps
