# fails: data_parallel_step_unequal_tokens, data_parallel_step_any_shape
# says: DDP never averaged: the last forward and backward pass belong outside no_sync()
def data_parallel_step(model, optimizer, micro_batches):
    total_tokens = torch.tensor(sum(int((classes != -100).sum()) for _, classes in micro_batches))
    dist.all_reduce(total_tokens)
    with model.no_sync():
        for inputs, classes in micro_batches:
            loss = cross_entropy(model(inputs), classes, ignore_index=-100, reduction="sum")
            (loss * dist.get_world_size() / total_tokens).backward()
    optimizer.step()
    optimizer.zero_grad()
