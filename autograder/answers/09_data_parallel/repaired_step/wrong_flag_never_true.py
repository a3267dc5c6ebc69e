# fails: repaired_step_two_micro_batches, repaired_step_through_the_lens
# says: nothing was averaged
def repaired_step(model, optimizer, micro_batches):
    for number, batch in enumerate(micro_batches):
        model.require_backward_grad_sync = number == len(micro_batches)
        loss = loss_of(model, batch) / len(micro_batches)
        loss.backward()
    optimizer.step()
    optimizer.zero_grad()
