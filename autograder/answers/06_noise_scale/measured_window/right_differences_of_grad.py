def measured_window(model, loss_of, micro_batches, max_norm):
    parameters, small = list(model.parameters()), 0.0
    for micro_batch in micro_batches:
        before = [torch.zeros_like(p) if p.grad is None else p.grad.clone() for p in parameters]
        loss_of(model, micro_batch).backward()
        for parameter, old in zip(parameters, before):
            small += ((parameter.grad - old) ** 2).sum().item() / len(micro_batches)
    for parameter in parameters:
        parameter.grad /= len(micro_batches)
    big = sum((parameter.grad**2).sum().item() for parameter in parameters)
    torch.nn.utils.clip_grad_norm_(parameters, max_norm)
    return small, big
