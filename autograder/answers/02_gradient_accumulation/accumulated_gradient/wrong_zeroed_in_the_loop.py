# fails: accumulated_gradient_by_hand, accumulated_gradient_properties
# says: only the last micro-batch is left, divided by K: the sum is set to zero inside the loop
def accumulated_gradient(gradients):
    accumulation_steps = 0
    for gradient in gradients:
        total = np.zeros_like(gradient)
        total += gradient
        accumulation_steps += 1
    return total / accumulation_steps
