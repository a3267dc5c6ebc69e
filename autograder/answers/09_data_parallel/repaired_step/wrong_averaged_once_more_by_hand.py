# fails: repaired_step_two_micro_batches
# says: gradients went round twice
def repaired_step(model, optimizer, micro_batches):
    for number, batch in enumerate(micro_batches, start=1):
        loss = loss_of(model, batch) / len(micro_batches)
        model.require_backward_grad_sync = number == len(micro_batches)
        loss.backward()
    for parameter in model.parameters():  # so that the ranks agree again
        dist.all_reduce(parameter.grad)
        parameter.grad /= dist.get_world_size()
    optimizer.step()
    optimizer.zero_grad()
