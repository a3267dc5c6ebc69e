# fails: repaired_step_two_micro_batches, repaired_step_through_the_lens
# says: each micro-batch was averaged: the flag must be false for all but the last
def repaired_step(model, optimizer, micro_batches):
    for number, batch in enumerate(micro_batches, start=1):
        loss = loss_of(model, batch) / len(micro_batches)
        with nullcontext() if number == len(micro_batches) else model.no_sync():
            loss.backward()
    optimizer.step()
    optimizer.zero_grad()
