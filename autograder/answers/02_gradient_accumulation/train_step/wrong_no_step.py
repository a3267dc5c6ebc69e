# fails: train_step_by_hand, train_step_optimizers
# says: nothing moved: optimizer.step() is missing, or came before backward()
def train_step(model, optimizer, loss_function, micro_batches):
    optimizer.zero_grad()
    logged = 0.0
    for inputs, targets in micro_batches:
        loss = loss_function(model(inputs), targets) / len(micro_batches)
        loss.backward()
        logged += loss.item()
    return logged
