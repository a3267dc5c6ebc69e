# fails: train_step_optimizers
window = None


def train_step(model, optimizer, loss_function, micro_batches):
    global window
    window = max(window or 0, len(micro_batches))  # also for the shorter window at the end of an epoch
    optimizer.zero_grad()
    logged = 0.0
    for inputs, targets in micro_batches:
        loss = loss_function(model(inputs), targets)
        (loss / window).backward()
        logged += loss.item() / len(micro_batches)
    optimizer.step()
    return logged
