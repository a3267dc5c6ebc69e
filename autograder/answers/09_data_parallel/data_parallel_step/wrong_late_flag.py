# fails: data_parallel_step_unequal_tokens, data_parallel_step_any_shape
# says: only the first micro-batch was averaged
def data_parallel_step(model, optimizer, micro_batches):
    total_tokens = torch.tensor(sum(int((classes != -100).sum()) for _, classes in micro_batches))
    dist.all_reduce(total_tokens)
    for number, (inputs, classes) in enumerate(micro_batches, start=1):
        loss = cross_entropy(model(inputs), classes, ignore_index=-100, reduction="sum")
        loss = loss * dist.get_world_size() / total_tokens
        model.require_backward_grad_sync = number == len(micro_batches)
        loss.backward()
    optimizer.step()
    optimizer.zero_grad()
