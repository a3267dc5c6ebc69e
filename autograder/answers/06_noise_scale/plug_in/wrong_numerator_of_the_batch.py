# fails: plug_in_by_hand, plug_in_limits
# says: the numerator is tr Σ: B times the trace of the covariance of batch gradients
def plug_in(noise_scale, batch):
    trace_of_batch = 1 / batch  # of the covariance of batch gradients, in units of tr Σ
    return trace_of_batch / (1 / noise_scale + 1 / batch)
