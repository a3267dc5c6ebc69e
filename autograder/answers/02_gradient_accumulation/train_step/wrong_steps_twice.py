# fails: train_step_by_hand, train_step_optimizers
# says: (or there were two)
def train_step(model, optimizer, loss_function, micro_batches):
    optimizer.zero_grad()
    logged = 0.0
    for k, (inputs, targets) in enumerate(micro_batches, start=1):
        loss = loss_function(model(inputs), targets) / len(micro_batches)
        loss.backward()
        logged += loss.item()
        if k % len(micro_batches) == 0:
            optimizer.step()
    optimizer.step()  # for a last window that is shorter
    return logged
