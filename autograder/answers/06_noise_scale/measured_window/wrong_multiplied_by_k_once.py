# fails: measured_window_by_hand, measured_window_network
# says: the pieces' squared norms are K² times too small, not K times
def measured_window(model, loss_of, micro_batches, max_norm):
    parameters, small = list(model.parameters()), 0.0
    for micro_batch in micro_batches:
        gradients = torch.autograd.grad(loss_of(model, micro_batch) / len(micro_batches), parameters)
        small += sum(gradient.square().sum().item() for gradient in gradients)  # K times K-th, so no mean
        for parameter, gradient in zip(parameters, gradients):
            parameter.grad = gradient if parameter.grad is None else parameter.grad + gradient
    big = sum(parameter.grad.square().sum().item() for parameter in parameters)
    torch.nn.utils.clip_grad_norm_(parameters, max_norm)
    return small, big
