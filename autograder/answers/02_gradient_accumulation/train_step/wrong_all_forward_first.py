# fails: train_step_one_at_a_time
# says: its activations stay in memory
def train_step(model, optimizer, loss_function, micro_batches):
    optimizer.zero_grad()
    logged = 0.0
    predictions = [model(inputs) for inputs, _ in micro_batches]
    for prediction, (_, targets) in zip(predictions, micro_batches):
        loss = loss_function(prediction, targets) / len(micro_batches)
        loss.backward()
        logged += loss.item()
    optimizer.step()
    return logged
