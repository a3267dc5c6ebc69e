# fails: measured_window_by_hand
# says: the weights, not changed
def measured_window(model, loss_of, micro_batches, max_norm):
    optimizer, small = torch.optim.SGD(model.parameters(), lr=0.1), []
    total = [torch.zeros_like(parameter) for parameter in model.parameters()]
    for micro_batch in micro_batches:
        optimizer.zero_grad()
        loss_of(model, micro_batch).backward()
        small.append(sum(parameter.grad.square().sum().item() for parameter in model.parameters()))
        for buffer, parameter in zip(total, model.parameters()):
            buffer += parameter.grad / len(micro_batches)
    for buffer, parameter in zip(total, model.parameters()):
        parameter.grad = buffer
    big = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm).item() ** 2
    optimizer.step()
    return np.mean(small), big
