# fails: train_step_by_hand, train_step_logged_loss, train_step_optimizers
# says: only the last micro-batch counts: zero_grad() stands inside the loop
# says: this is the loss of the last micro-batch alone
def train_step(model, optimizer, loss_function, micro_batches):
    for inputs, targets in micro_batches:
        optimizer.zero_grad()
        loss = loss_function(model(inputs), targets)
        loss.backward()
    optimizer.step()
    return loss.item()
