def set_gradient(parameters, gradients):
    for parameter, gradient in zip(parameters, gradients):
        parameter.grad = gradient


def train_step(model, optimizer, loss_function, micro_batches):
    parameters = list(model.parameters())
    total, logged = [torch.zeros_like(parameter) for parameter in parameters], 0.0
    for inputs, targets in micro_batches:
        loss = loss_function(model(inputs), targets) / len(micro_batches)
        total = [old + new for old, new in zip(total, torch.autograd.grad(loss, parameters))]
        logged += loss.item()
    set_gradient(parameters, total)
    optimizer.step()
    return logged
