def predicted_epochs(area, batch_size, num_examples):
    epochs = step = 0
    while area > 0:
        epochs += 1
        for _ in range(0, num_examples, batch_size):
            step += 1
            area -= min(0.05 * batch_size / 32, 0.01 * step)  # the ramp rises by 0.01 a step whatever the batch
    return epochs
