# fails: train_step_optimizers
# says: with SGD, momentum 0.9
def train_step(model, optimizer, loss_function, micro_batches):
    accumulation_steps = len(micro_batches)
    optimizer.zero_grad()
    logged = 0.0
    for inputs, targets in micro_batches:
        loss = loss_function(model(inputs), targets)
        loss.backward()
        logged += loss.item() / accumulation_steps
    for group in optimizer.param_groups:
        group["lr"] /= accumulation_steps
    optimizer.step()
    for group in optimizer.param_groups:
        group["lr"] *= accumulation_steps
    return logged
