# fails: accumulated_gradient_by_hand, accumulated_gradient_properties
# says: only the last micro-batch is left: what came before was overwritten or set to zero
def accumulated_gradient(gradients):
    for gradient in gradients:
        total = 0.0
        total = total + gradient
    return total
