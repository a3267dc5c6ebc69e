def data_parallel_step(model, optimizer, micro_batches):
    tokens = torch.tensor([0])
    for k, (inputs, classes) in enumerate(micro_batches):
        tokens += torch.sum(classes >= 0)
        context = model.no_sync if k + 1 < len(micro_batches) else nullcontext
        with context():
            losses = cross_entropy(model(inputs), classes, ignore_index=-100, reduction="none")
            losses.sum().backward()
    dist.all_reduce(tokens)
    for parameter in model.parameters():
        parameter.grad.mul_(dist.get_world_size() / tokens.item())
    optimizer.step()
    optimizer.zero_grad()
