# fails: data_parallel_step_unequal_tokens, data_parallel_step_any_shape
# says: targets of -100 carry no loss and do not count
def data_parallel_step(model, optimizer, micro_batches):
    total_tokens = torch.tensor(sum(len(classes) for _, classes in micro_batches))
    dist.all_reduce(total_tokens)
    for number, (inputs, classes) in enumerate(micro_batches, start=1):
        with nullcontext() if number == len(micro_batches) else model.no_sync():
            loss = cross_entropy(model(inputs), classes, ignore_index=-100, reduction="sum")
            (loss * dist.get_world_size() / total_tokens).backward()
    optimizer.step()
    optimizer.zero_grad()
