# fails: train_step_by_hand, train_step_one_at_a_time, train_step_optimizers
# says: or backward() after it
def train_step(model, optimizer, loss_function, micro_batches):
    optimizer.zero_grad()
    logged = 0.0
    for inputs, targets in micro_batches:
        loss = loss_function(model(inputs), targets) / len(micro_batches)
        logged += loss.item()
    loss.backward()
    optimizer.step()
    return logged
