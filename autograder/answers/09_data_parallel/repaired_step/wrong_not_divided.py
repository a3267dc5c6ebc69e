# fails: repaired_step_two_micro_batches, repaired_step_through_the_lens
# says: the gradient is the mean over micro-batches: divide each loss by their number
def repaired_step(model, optimizer, micro_batches):
    for number, batch in enumerate(micro_batches, start=1):
        model.require_backward_grad_sync = number == len(micro_batches)
        loss_of(model, batch).backward()
    optimizer.step()
    optimizer.zero_grad()
