# fails: train_step_by_hand, train_step_logged_loss, train_step_optimizers
# says: the gradients were added and not divided by K: the step is K times too long
# says: this is the sum over the micro-batches; divide it by K
def train_step(model, optimizer, loss_function, micro_batches):
    optimizer.zero_grad()
    logged = 0.0
    for inputs, targets in micro_batches:
        loss = loss_function(model(inputs), targets)
        loss.backward()
        logged += loss.item()
    optimizer.step()
    return logged
