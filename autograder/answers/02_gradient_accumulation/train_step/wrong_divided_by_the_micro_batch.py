# fails: train_step_by_hand, train_step_optimizers
# says: you divided by the size of a micro-batch, 3; divide by their number K, 2
def train_step(model, optimizer, loss_function, micro_batches):
    optimizer.zero_grad()
    logged = 0.0
    for inputs, targets in micro_batches:
        loss = loss_function(model(inputs), targets)
        (loss / len(inputs)).backward()  # "too small by the size of the micro-batch", so that must be the factor
        logged += loss.item() / len(micro_batches)
    optimizer.step()
    return logged
