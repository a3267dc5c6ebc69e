# fails: train_step_optimizers
# says: weights after three steps of (1, 1, 1) micro-batches with SGD
def train_step(model, optimizer, loss_function, micro_batches):
    optimizer.zero_grad()
    logged = 0.0
    for inputs, targets in micro_batches:
        loss = loss_function(model(inputs), targets) / 2
        loss.backward()
        logged += loss.item()
    optimizer.step()
    return logged
