# fails: measured_window_by_hand, measured_window_network
# says: this is the sum of the pieces' squared norms; asked for is their mean
def measured_window(model, loss_of, micro_batches, max_norm):
    parameters, small = list(model.parameters()), 0.0
    for micro_batch in micro_batches:
        gradients = torch.autograd.grad(loss_of(model, micro_batch), parameters)
        small += sum(gradient.square().sum().item() for gradient in gradients)
        for parameter, gradient in zip(parameters, gradients):
            share = gradient / len(micro_batches)
            parameter.grad = share if parameter.grad is None else parameter.grad + share
    big = sum(parameter.grad.square().sum().item() for parameter in parameters)
    torch.nn.utils.clip_grad_norm_(parameters, max_norm)
    return small, big
