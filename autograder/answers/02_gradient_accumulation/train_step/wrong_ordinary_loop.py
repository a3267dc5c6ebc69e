# fails: train_step_by_hand, train_step_logged_loss, train_step_optimizers
# says: the optimizer stepped after each micro-batch: the second gradient was taken at other weights
# says: the second micro-batch was run after a step that was K times too long
def train_step(model, optimizer, loss_function, micro_batches):
    logged = 0.0
    for inputs, targets in micro_batches:
        optimizer.zero_grad()
        loss = loss_function(model(inputs), targets)
        loss.backward()
        optimizer.step()
        logged += loss.item() / len(micro_batches)
    return logged
