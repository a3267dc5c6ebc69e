# fails: measured_window_by_hand, measured_window_network
# says: nothing is left in .grad
def measured_window(model, loss_of, micro_batches, max_norm):
    pieces = []
    for micro_batch in micro_batches:
        gradients = torch.autograd.grad(loss_of(model, micro_batch), list(model.parameters()))
        pieces.append(torch.cat([gradient.flatten() for gradient in gradients]))
    pieces = torch.stack(pieces)
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    return pieces.square().sum(dim=1).mean().item(), pieces.mean(dim=0).square().sum().item()
