def data_parallel_step(model, optimizer, micro_batches):
    counts = [(classes != -100).sum() for _, classes in micro_batches]
    total_tokens = sum(counts).clone()
    dist.all_reduce(total_tokens)
    for number, (inputs, classes) in enumerate(micro_batches):
        with nullcontext() if number == len(micro_batches) - 1 else model.no_sync():
            mean = cross_entropy(model(inputs), classes)  # not a number where no token counts, with a gradient of zeros
            (mean * counts[number] * dist.get_world_size() / total_tokens).backward()
    optimizer.step()
    optimizer.zero_grad()
