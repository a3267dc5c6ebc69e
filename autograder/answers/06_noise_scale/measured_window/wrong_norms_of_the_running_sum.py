# fails: measured_window_by_hand, measured_window_network
# says: these are norms of the running sum: .grad adds up
def measured_window(model, loss_of, micro_batches, max_norm):
    small = []
    for micro_batch in micro_batches:
        loss_of(model, micro_batch).backward()
        small.append(sum(parameter.grad.square().sum().item() for parameter in model.parameters()))
    for parameter in model.parameters():
        parameter.grad /= len(micro_batches)
    big = sum(parameter.grad.square().sum().item() for parameter in model.parameters())
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    return np.mean(small), big
