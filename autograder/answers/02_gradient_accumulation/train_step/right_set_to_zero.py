def train_step(model, optimizer, loss_function, micro_batches):
    optimizer.zero_grad(set_to_none=False)
    losses = []
    for inputs, targets in micro_batches:
        loss = loss_function(model(inputs), targets)
        losses.append(loss.item())
        loss.div(len(micro_batches)).backward()
    optimizer.step()
    return np.mean(losses)
