# fails: measured_window_by_hand, measured_window_network
# says: these are norms of the running sum of the divided gradients: .grad adds up, and K is not undone
def measured_window(model, loss_of, micro_batches, max_norm):
    small = []
    for micro_batch in micro_batches:
        (loss_of(model, micro_batch) / len(micro_batches)).backward()
        small.append(sum(parameter.grad.square().sum().item() for parameter in model.parameters()))
    big = small[-1]
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    return np.mean(small), big
