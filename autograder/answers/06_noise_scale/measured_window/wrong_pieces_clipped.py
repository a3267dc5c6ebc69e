# fails: measured_window_by_hand, measured_window_network
# says: each piece is clipped before it is measured
def measured_window(model, loss_of, micro_batches, max_norm):
    parameters, small = list(model.parameters()), []
    total = [torch.zeros_like(parameter) for parameter in parameters]
    for micro_batch in micro_batches:
        model.zero_grad()
        loss_of(model, micro_batch).backward()
        torch.nn.utils.clip_grad_norm_(parameters, max_norm)
        small.append(sum(parameter.grad.square().sum().item() for parameter in parameters))
        for buffer, parameter in zip(total, parameters):
            buffer += parameter.grad / len(micro_batches)
    for buffer, parameter in zip(total, parameters):
        parameter.grad = buffer
    return np.mean(small), sum(buffer.square().sum().item() for buffer in total)
