def measured_window(model, loss_of, micro_batches, max_norm):
    num_micro_batches, squares = len(micro_batches), []
    total = [torch.zeros_like(parameter) for parameter in model.parameters()]
    for micro_batch in micro_batches:
        model.zero_grad()
        (loss_of(model, micro_batch) / num_micro_batches).backward()
        squares.append(num_micro_batches**2 * sum(p.grad.pow(2).sum() for p in model.parameters()))
        for buffer, parameter in zip(total, model.parameters()):
            buffer += parameter.grad
    for buffer, parameter in zip(total, model.parameters()):
        parameter.grad = buffer
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)  # returns the norm before
    return torch.stack(squares).mean(), norm**2
