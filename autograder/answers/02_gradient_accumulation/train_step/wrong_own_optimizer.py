# fails: train_step_optimizers
def train_step(model, optimizer, loss_function, micro_batches):
    optimizer = torch.optim.SGD(model.parameters(), lr=optimizer.param_groups[0]["lr"])
    optimizer.zero_grad()
    logged = 0.0
    for inputs, targets in micro_batches:
        loss = loss_function(model(inputs), targets) / len(micro_batches)
        loss.backward()
        logged += loss.item()
    optimizer.step()
    return logged
