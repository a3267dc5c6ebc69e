# fails: measured_window_by_hand, measured_window_network
# says: the copy of .grad is .grad itself, which backward() changes in place: clone it
def measured_window(model, loss_of, micro_batches, max_norm):
    parameters, small = list(model.parameters()), 0.0
    for micro_batch in micro_batches:
        before = [parameter.grad for parameter in parameters]
        loss_of(model, micro_batch).backward()
        for parameter, old in zip(parameters, before):
            new = parameter.grad if old is None else parameter.grad - old
            small += new.square().sum().item() / len(micro_batches)
    for parameter in parameters:
        parameter.grad /= len(micro_batches)
    big = sum(parameter.grad.square().sum().item() for parameter in parameters)
    torch.nn.utils.clip_grad_norm_(parameters, max_norm)
    return small, big
