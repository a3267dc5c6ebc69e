def train_step(model, optimizer, loss_function, micro_batches):
    optimizer.zero_grad()
    logged = []
    for inputs, targets in micro_batches:
        loss = loss_function(model(inputs), targets) / len(micro_batches)
        loss.backward()
        logged.append(float(loss))  # PyTorch warns on stderr that the loss requires a gradient
    optimizer.step()
    return sum(logged)
