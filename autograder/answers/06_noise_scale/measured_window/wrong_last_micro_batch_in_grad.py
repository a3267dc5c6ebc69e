# fails: measured_window_by_hand, measured_window_network
# says: the gradient of the last micro-batch only, clipped
def measured_window(model, loss_of, micro_batches, max_norm):
    pieces = []
    for micro_batch in micro_batches:
        model.zero_grad()
        loss_of(model, micro_batch).backward()
        pieces.append(torch.cat([parameter.grad.flatten() for parameter in model.parameters()]))
    pieces = torch.stack(pieces)
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    return pieces.square().sum(dim=1).mean(), pieces.mean(dim=0).square().sum()
