# fails: train_step_by_hand, train_step_logged_loss, train_step_optimizers
# says: the optimizer stepped after each micro-batch, the second time with both gradients
def train_step(model, optimizer, loss_function, micro_batches):
    optimizer.zero_grad()
    logged = 0.0
    for inputs, targets in micro_batches:
        loss = loss_function(model(inputs), targets)
        loss.backward()
        optimizer.step()
        logged += loss.item() / len(micro_batches)
    return logged
