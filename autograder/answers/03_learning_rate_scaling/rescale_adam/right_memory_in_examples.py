def rescale_adam(learning_rate, beta1, beta2, epsilon, batch, new_batch):
    settings = [learning_rate * (new_batch / batch) ** 0.5]
    for beta in (beta1, beta2):
        examples = batch / (1 - beta)
        if examples < new_batch:
            raise ValueError(f"a memory of {examples:.0f} examples is shorter than one batch")
        settings.append(1 - new_batch / examples)
    settings.append(epsilon * (batch / new_batch) ** 0.5)
    return settings
