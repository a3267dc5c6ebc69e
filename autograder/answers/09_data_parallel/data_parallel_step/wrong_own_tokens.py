# fails: data_parallel_step_unequal_tokens, data_parallel_step_any_shape
# says: each rank divided by its own tokens; add up the tokens of all ranks first
def data_parallel_step(model, optimizer, micro_batches):
    total_tokens = sum((classes != -100).sum() for _, classes in micro_batches)
    for number, (inputs, classes) in enumerate(micro_batches, start=1):
        with nullcontext() if number == len(micro_batches) else model.no_sync():
            loss = cross_entropy(model(inputs), classes, ignore_index=-100, reduction="sum")
            (loss / total_tokens).backward()
    optimizer.step()
    optimizer.zero_grad()
