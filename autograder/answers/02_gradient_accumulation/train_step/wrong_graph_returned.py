# fails: train_step_logged_loss
# says: log loss.item(), or the graph of every step stays in memory
def train_step(model, optimizer, loss_function, micro_batches):
    optimizer.zero_grad()
    logged = 0.0
    for inputs, targets in micro_batches:
        loss = loss_function(model(inputs), targets) / len(micro_batches)
        loss.backward()
        logged += loss
    optimizer.step()
    return logged
