# fails: measured_window_by_hand, measured_window_network
# says: norms, not squared norms
def measured_window(model, loss_of, micro_batches, max_norm):
    parameters, small = list(model.parameters()), []
    for micro_batch in micro_batches:
        gradients = torch.autograd.grad(loss_of(model, micro_batch), parameters)
        small.append(torch.cat([gradient.flatten() for gradient in gradients]).norm().item())
        for parameter, gradient in zip(parameters, gradients):
            share = gradient / len(micro_batches)
            parameter.grad = share if parameter.grad is None else parameter.grad + share
    big = torch.nn.utils.clip_grad_norm_(parameters, max_norm)
    return np.mean(small), big.item()
