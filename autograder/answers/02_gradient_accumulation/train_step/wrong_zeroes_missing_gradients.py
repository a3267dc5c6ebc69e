# fails: train_step_optimizers
# says: 'NoneType' object has no attribute 'zero_'
def train_step(model, optimizer, loss_function, micro_batches):
    for parameter in model.parameters():
        parameter.grad.zero_()
    logged = 0.0
    for inputs, targets in micro_batches:
        loss = loss_function(model(inputs), targets) / len(micro_batches)
        loss.backward()
        logged += loss.item()
    optimizer.step()
    return logged
