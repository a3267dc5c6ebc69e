# fails: measured_window_network
# says: .grad, limited to a norm of 100
def measured_window(model, loss_of, micro_batches, max_norm):
    parameters, small = list(model.parameters()), []
    for micro_batch in micro_batches:
        gradients = torch.autograd.grad(loss_of(model, micro_batch), parameters)
        small.append(sum(gradient.square().sum().item() for gradient in gradients))
        for parameter, gradient in zip(parameters, gradients):
            share = gradient / len(micro_batches)
            parameter.grad = share if parameter.grad is None else parameter.grad + share
    big = sum(parameter.grad.square().sum().item() for parameter in parameters)
    for parameter in parameters:
        parameter.grad *= max_norm / big**0.5
    return np.mean(small), big
