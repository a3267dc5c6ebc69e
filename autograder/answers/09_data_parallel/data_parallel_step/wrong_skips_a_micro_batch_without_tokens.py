# fails: data_parallel_step_any_shape
# says: not done after
# says: All ranks must call the same collectives
def data_parallel_step(model, optimizer, micro_batches):
    total_tokens = torch.tensor(sum(int((classes != -100).sum()) for _, classes in micro_batches))
    dist.all_reduce(total_tokens)
    for number, (inputs, classes) in enumerate(micro_batches, start=1):
        if (classes == -100).all():
            continue
        with nullcontext() if number == len(micro_batches) else model.no_sync():
            loss = cross_entropy(model(inputs), classes, ignore_index=-100, reduction="sum")
            (loss * dist.get_world_size() / total_tokens).backward()
    optimizer.step()
    optimizer.zero_grad()
