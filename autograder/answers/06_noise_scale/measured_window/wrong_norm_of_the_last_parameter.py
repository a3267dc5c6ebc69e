# fails: measured_window_by_hand, measured_window_network
# says: this is the last parameter alone; asked for are all parameters together
def measured_window(model, loss_of, micro_batches, max_norm):
    parameters, small = list(model.parameters()), 0.0
    for micro_batch in micro_batches:
        gradients = torch.autograd.grad(loss_of(model, micro_batch), parameters)
        for parameter, gradient in zip(parameters, gradients):
            square = gradient.square().sum().item()
            share = gradient / len(micro_batches)
            parameter.grad = share if parameter.grad is None else parameter.grad + share
        small += square / len(micro_batches)
    for parameter in parameters:
        big = parameter.grad.square().sum().item()
    torch.nn.utils.clip_grad_norm_(parameters, max_norm)
    return small, big
