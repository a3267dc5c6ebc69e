# fails: train_step_one_at_a_time
# says: the micro-batches were joined to the big batch, which does not fit in memory
def train_step(model, optimizer, loss_function, micro_batches):
    inputs, targets = (torch.cat(tensors) for tensors in zip(*micro_batches))
    optimizer.zero_grad()
    loss = loss_function(model(inputs), targets)
    loss.backward()
    optimizer.step()
    return loss.item()
