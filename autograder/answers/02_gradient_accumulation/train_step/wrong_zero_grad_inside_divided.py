# fails: train_step_by_hand, train_step_optimizers
# says: only the last micro-batch counts, divided by K: zero_grad() stands inside the loop
def train_step(model, optimizer, loss_function, micro_batches):
    logged = 0.0
    for inputs, targets in micro_batches:
        optimizer.zero_grad()
        loss = loss_function(model(inputs), targets) / len(micro_batches)
        loss.backward()
        logged += loss.item()
    optimizer.step()
    return logged
