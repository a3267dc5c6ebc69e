# fails: repaired_step_two_micro_batches, repaired_step_through_the_lens
# says: only the last micro-batch is in it
def repaired_step(model, optimizer, micro_batches):
    for batch in micro_batches:
        optimizer.zero_grad()
        (loss_of(model, batch) / len(micro_batches)).backward()
    optimizer.step()
    optimizer.zero_grad()
