# fails: accumulated_gradient_by_hand, accumulated_gradient_properties
# says: this is the sum of the K gradients, K times too large; each of them is a mean already
def accumulated_gradient(gradients):
    return sum(gradients)  # "too small by the size of a micro-batch", says the text: so do not divide at all
