# fails: train_step_by_hand, train_step_optimizers
# says: divide the loss by K, not the learning rate
def train_step(model, optimizer, loss_function, micro_batches):
    optimizer.zero_grad()
    logged = 0.0
    for inputs, targets in micro_batches:
        loss = loss_function(model(inputs), targets)
        loss.backward()
        logged += loss.item() / len(micro_batches)
    for group in optimizer.param_groups:
        group["lr"] /= len(micro_batches)
    optimizer.step()
    return logged
