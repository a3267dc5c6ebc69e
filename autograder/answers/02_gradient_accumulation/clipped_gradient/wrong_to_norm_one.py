# fails: clipped_gradient_by_hand, clipped_gradient_properties
# says: shortened to norm 1, not to max_norm
def clipped_gradient(gradients, max_norm):
    average = np.mean(gradients, axis=0)
    norm = np.linalg.norm(average)
    return average / norm if norm > max_norm else average
