# fails: train_step_logged_loss
# says: this was divided by K twice: the logged curve would be K times too low
def train_step(model, optimizer, loss_function, micro_batches):
    optimizer.zero_grad()
    logged = 0.0
    for inputs, targets in micro_batches:
        loss = loss_function(model(inputs), targets) / len(micro_batches)
        loss.backward()
        logged += loss.item()
    optimizer.step()
    return logged / len(micro_batches)
