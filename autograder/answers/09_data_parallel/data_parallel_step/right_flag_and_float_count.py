def data_parallel_step(model, optimizer, micro_batches):
    total_tokens = torch.zeros(1)
    for _, classes in micro_batches:
        total_tokens += (classes != -100).sum()
    dist.all_reduce(total_tokens, op=dist.ReduceOp.SUM)
    for number, (inputs, classes) in enumerate(micro_batches):
        model.require_backward_grad_sync = number == len(micro_batches) - 1
        loss = cross_entropy(model(inputs), classes, reduction="sum") / total_tokens.item()
        loss = loss * dist.get_world_size()
        loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
