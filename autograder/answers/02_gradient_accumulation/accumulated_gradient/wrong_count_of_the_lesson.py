# fails: accumulated_gradient_by_hand, accumulated_gradient_properties
def accumulated_gradient(gradients):
    return sum(gradients) / accumulation_steps  # left over from the loop over K in the text
