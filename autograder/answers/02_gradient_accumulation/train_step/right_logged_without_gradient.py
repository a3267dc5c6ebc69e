def micro_loss(model, loss_function, micro_batch):
    inputs, targets = micro_batch
    return loss_function(model(inputs), targets)


def train_step(model, optimizer, loss_function, micro_batches):
    model.train()
    with torch.no_grad():
        logged = sum(micro_loss(model, loss_function, batch) for batch in micro_batches) / len(micro_batches)
    optimizer.zero_grad()
    for batch in micro_batches:
        (micro_loss(model, loss_function, batch) / len(micro_batches)).backward()
    optimizer.step()
    return logged.numpy()
