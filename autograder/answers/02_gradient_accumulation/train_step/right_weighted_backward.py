def train_step(model, optimizer, loss_function, micro_batches):
    share = torch.tensor(1 / len(micro_batches))
    for parameter in model.parameters():
        parameter.grad = None
    logged = 0.0
    for inputs, targets in micro_batches:
        loss = loss_function(model(inputs), targets)
        loss.backward(share, retain_graph=True)
        logged += float(loss.detach()) * float(share)
    optimizer.step()
    optimizer.zero_grad()
    return logged
