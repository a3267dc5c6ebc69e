# fails: train_step_by_hand, train_step_optimizers
# says: the loss is a mean over the examples already; divide by K only, not by the examples too
def train_step(model, optimizer, loss_function, micro_batches):
    examples = sum(len(targets) for _, targets in micro_batches)
    optimizer.zero_grad()
    logged = 0.0
    for inputs, targets in micro_batches:
        loss = loss_function(model(inputs), targets)
        (loss / examples).backward()
        logged += loss.item() / len(micro_batches)
    optimizer.step()
    return logged
