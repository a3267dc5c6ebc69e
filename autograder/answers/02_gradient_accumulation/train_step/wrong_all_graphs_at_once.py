# fails: train_step_one_at_a_time
# says: its activations stay in memory
def train_step(model, optimizer, loss_function, micro_batches):
    optimizer.zero_grad()
    losses = [loss_function(model(inputs), targets) for inputs, targets in micro_batches]
    loss = sum(losses) / len(losses)
    loss.backward()
    optimizer.step()
    return loss.item()
