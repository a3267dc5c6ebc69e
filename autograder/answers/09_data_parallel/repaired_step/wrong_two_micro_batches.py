# fails: repaired_step_through_the_lens
def repaired_step(model, optimizer, micro_batches):
    first, last = micro_batches[0], micro_batches[-1]
    with model.no_sync():
        (loss_of(model, first) / 2).backward()
    (loss_of(model, last) / 2).backward()
    optimizer.step()
    optimizer.zero_grad()
