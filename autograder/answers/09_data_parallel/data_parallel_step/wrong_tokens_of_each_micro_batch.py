# fails: data_parallel_step_unequal_tokens, data_parallel_step_any_shape
# says: the tokens are those of the whole step, all micro-batches of all ranks, not those of one micro-batch
def data_parallel_step(model, optimizer, micro_batches):
    for number, (inputs, classes) in enumerate(micro_batches, start=1):
        tokens = (classes != -100).sum()
        dist.all_reduce(tokens)
        with nullcontext() if number == len(micro_batches) else model.no_sync():
            loss = cross_entropy(model(inputs), classes, ignore_index=-100, reduction="sum")
            (loss * dist.get_world_size() / tokens).backward()
    optimizer.step()
    optimizer.zero_grad()
