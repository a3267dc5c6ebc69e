# fails: train_step_by_hand
# says: old gradients were not cleared: zero_grad() is missing, or comes only after the step
def train_step(model, optimizer, loss_function, micro_batches):
    logged = 0.0
    for inputs, targets in micro_batches:
        loss = loss_function(model(inputs), targets) / len(micro_batches)
        loss.backward()
        logged += loss.item()
    optimizer.step()
    optimizer.zero_grad()
    return logged
