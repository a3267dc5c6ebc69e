# fails: measured_window_by_hand, measured_window_network
# says: each piece is divided by K: the loss / K is not undone
def measured_window(model, loss_of, micro_batches, max_norm):
    parameters, small = list(model.parameters()), []
    for micro_batch in micro_batches:
        gradients = torch.autograd.grad(loss_of(model, micro_batch) / len(micro_batches), parameters)
        small.append(sum(gradient.square().sum().item() for gradient in gradients))
        for parameter, gradient in zip(parameters, gradients):
            parameter.grad = gradient if parameter.grad is None else parameter.grad + gradient
    big = sum(parameter.grad.square().sum().item() for parameter in parameters)
    torch.nn.utils.clip_grad_norm_(parameters, max_norm)
    return np.mean(small), big
