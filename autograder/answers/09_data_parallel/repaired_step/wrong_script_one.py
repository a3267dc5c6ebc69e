# fails: repaired_step_two_micro_batches, repaired_step_through_the_lens
# says: only the first micro-batch was averaged, as in script 1
def repaired_step(model, optimizer, micro_batches):
    for number, batch in enumerate(micro_batches, start=1):
        loss = loss_of(model, batch) / len(micro_batches)
        model.require_backward_grad_sync = number == len(micro_batches)
        loss.backward()
    optimizer.step()
    optimizer.zero_grad()
