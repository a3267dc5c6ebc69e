# fails: accumulated_gradient_properties
# says: 1 micro-batches
def accumulated_gradient(gradients):
    return sum(gradients) / 3
