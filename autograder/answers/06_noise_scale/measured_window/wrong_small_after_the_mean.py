# fails: measured_window_by_hand, measured_window_network
# says: both are the norm of the mean; the small one is that of each micro-batch
def measured_window(model, loss_of, micro_batches, max_norm):
    for micro_batch in micro_batches:
        (loss_of(model, micro_batch) / len(micro_batches)).backward()
    squares = [parameter.grad.square().sum().item() for parameter in model.parameters()]
    small = big = sum(squares)
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    return small, big
