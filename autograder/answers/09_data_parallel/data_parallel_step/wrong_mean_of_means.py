# fails: data_parallel_step_unequal_tokens, data_parallel_step_any_shape
# says: this is the mean of the micro-batches' means; divide sums by all tokens
def data_parallel_step(model, optimizer, micro_batches):
    for number, (inputs, classes) in enumerate(micro_batches, start=1):
        with nullcontext() if number == len(micro_batches) else model.no_sync():
            (cross_entropy(model(inputs), classes, ignore_index=-100) / len(micro_batches)).backward()
    optimizer.step()
    optimizer.zero_grad()
