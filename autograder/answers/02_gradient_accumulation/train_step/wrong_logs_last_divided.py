# fails: train_step_logged_loss
# says: this is the loss of the last micro-batch, divided by K: the logged curve would be K times too low
def train_step(model, optimizer, loss_function, micro_batches):
    optimizer.zero_grad()
    for inputs, targets in micro_batches:
        loss = loss_function(model(inputs), targets) / len(micro_batches)
        loss.backward()
    optimizer.step()
    return loss.item()
