# fails: train_step_by_hand, train_step_logged_loss, train_step_optimizers
# says: the optimizer stepped after each micro-batch, with the loss divided by K
def train_step(model, optimizer, loss_function, micro_batches):
    logged = 0.0
    for inputs, targets in micro_batches:
        optimizer.zero_grad()
        loss = loss_function(model(inputs), targets) / len(micro_batches)
        loss.backward()
        optimizer.step()
        logged += loss.item()
    return logged
