# fails: train_step_logged_loss, train_step_one_at_a_time
# says: your function has emptied the caller's list of micro-batches
def train_step(model, optimizer, loss_function, micro_batches):
    accumulation_steps, logged = len(micro_batches), 0.0
    optimizer.zero_grad()
    while micro_batches:
        inputs, targets = micro_batches.pop(0)
        loss = loss_function(model(inputs), targets) / accumulation_steps
        loss.backward()
        logged += loss.item()
    optimizer.step()
    return logged
