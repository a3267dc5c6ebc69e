# fails: train_step_logged_loss
# says: this is the loss after the step; asked for is the loss before it
def train_step(model, optimizer, loss_function, micro_batches):
    optimizer.zero_grad()
    for inputs, targets in micro_batches:
        (loss_function(model(inputs), targets) / len(micro_batches)).backward()
    optimizer.step()
    with torch.no_grad():
        return float(np.mean([loss_function(model(inputs), targets).item() for inputs, targets in micro_batches]))
