def measured_window(model, loss_of, micro_batches, max_norm):
    parameters = list(model.parameters())
    pieces = []
    for micro_batch in micro_batches:
        gradients = torch.autograd.grad(loss_of(model, micro_batch), parameters)
        pieces.append(torch.cat([gradient.reshape(-1) for gradient in gradients]))
    pieces = torch.stack(pieces)
    mean = pieces.mean(dim=0)
    sizes = [parameter.numel() for parameter in parameters]
    for parameter, gradient in zip(parameters, mean.split(sizes)):
        parameter.grad = gradient.reshape(parameter.shape).clone()
    torch.nn.utils.clip_grad_norm_(parameters, max_norm)
    return float((pieces**2).sum(dim=1).mean()), float(mean @ mean)
