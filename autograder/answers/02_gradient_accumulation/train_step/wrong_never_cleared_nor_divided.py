# fails: train_step_by_hand, train_step_optimizers
# says: old gradients were not cleared, and the new ones not divided by K
def train_step(model, optimizer, loss_function, micro_batches):
    losses = []
    for inputs, targets in micro_batches:
        loss = loss_function(model(inputs), targets)
        loss.backward()
        losses.append(loss.item())
    optimizer.step()
    return np.mean(losses)
