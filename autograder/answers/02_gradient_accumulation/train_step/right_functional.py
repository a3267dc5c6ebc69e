from torch.func import functional_call, grad_and_value


def train_step(model, optimizer, loss_function, micro_batches):
    weights = {name: parameter.detach() for name, parameter in model.named_parameters()}

    def mean_loss(weights, inputs, targets):
        return loss_function(functional_call(model, weights, (inputs,)), targets)

    total, logged = {name: torch.zeros_like(weight) for name, weight in weights.items()}, 0.0
    for inputs, targets in micro_batches:
        gradients, loss = grad_and_value(mean_loss)(weights, inputs, targets)
        total = {name: total[name] + gradients[name] / len(micro_batches) for name in total}
        logged += loss.item() / len(micro_batches)
    for name, parameter in model.named_parameters():
        parameter.grad = total[name]
    optimizer.step()
    return logged
