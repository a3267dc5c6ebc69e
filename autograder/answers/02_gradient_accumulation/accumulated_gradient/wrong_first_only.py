# fails: accumulated_gradient_by_hand, accumulated_gradient_properties
# says: only the first micro-batch counts
def accumulated_gradient(gradients):
    total, accumulation_steps = 0.0, 0
    for gradient in gradients:
        total = total + gradient
        accumulation_steps += 1
        return total / accumulation_steps
