# fails: train_step_optimizers
# says: eval() would switch dropout and BatchNorm off
def train_step(model, optimizer, loss_function, micro_batches):
    model.eval()
    with torch.no_grad():
        losses = [loss_function(model(inputs), targets).item() for inputs, targets in micro_batches]
    optimizer.zero_grad()
    for inputs, targets in micro_batches:
        (loss_function(model(inputs), targets) / len(micro_batches)).backward()
    optimizer.step()
    return sum(losses) / len(losses)
