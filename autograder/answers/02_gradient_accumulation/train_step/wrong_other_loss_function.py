# fails: train_step_optimizers
def train_step(model, optimizer, loss_function, micro_batches):
    set_gradient(model, micro_batches)  # the function of the text, which knows only the mean squared error
    with torch.no_grad():
        logged = sum(loss_function(model(inputs), targets).item() for inputs, targets in micro_batches)
    optimizer.step()
    return logged / len(micro_batches)
