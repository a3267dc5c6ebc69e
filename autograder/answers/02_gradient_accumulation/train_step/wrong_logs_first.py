# fails: train_step_logged_loss
# says: this is the loss of the first micro-batch alone
def train_step(model, optimizer, loss_function, micro_batches):
    optimizer.zero_grad()
    logged = None
    for inputs, targets in micro_batches:
        loss = loss_function(model(inputs), targets)
        (loss / len(micro_batches)).backward()
        logged = logged or loss.item()
    optimizer.step()
    return logged
