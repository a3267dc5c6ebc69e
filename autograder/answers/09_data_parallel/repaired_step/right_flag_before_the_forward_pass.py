def repaired_step(model, optimizer, micro_batches):
    for number, batch in enumerate(micro_batches, start=1):
        model.require_backward_grad_sync = number == len(micro_batches)
        loss = loss_of(model, batch) / len(micro_batches)
        loss.backward()
    optimizer.step()
    optimizer.zero_grad()
