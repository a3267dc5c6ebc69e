# fails: train_step_by_hand, train_step_optimizers
# says: nothing moved
# says: or zero_grad() stands between
def train_step(model, optimizer, loss_function, micro_batches):
    logged = 0.0
    for inputs, targets in micro_batches:
        loss = loss_function(model(inputs), targets) / len(micro_batches)
        loss.backward()
        logged += loss.item()
    optimizer.zero_grad()
    optimizer.step()
    return logged
