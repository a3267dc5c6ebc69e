def train_step(model, optimizer, loss_function, micro_batches):
    model.zero_grad()
    logged, steps = 0.0, 0
    for steps, batch in enumerate(micro_batches, 1):
        loss = loss_function(model(batch[0]), batch[1])
        loss.backward()
        logged += loss.item()
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            parameter.grad /= steps
    optimizer.step()
    return logged / steps
