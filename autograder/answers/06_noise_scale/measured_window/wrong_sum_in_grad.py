# fails: measured_window_by_hand, measured_window_network
# says: the sum over the micro-batches, not clipped
def measured_window(model, loss_of, micro_batches, max_norm):
    pieces = []
    for micro_batch in micro_batches:
        loss = loss_of(model, micro_batch)
        gradients = torch.autograd.grad(loss, list(model.parameters()), retain_graph=True)
        pieces.append(torch.cat([gradient.flatten() for gradient in gradients]))
        loss.backward()
    pieces = torch.stack(pieces)
    return pieces.square().sum(dim=1).mean().item(), pieces.mean(dim=0).square().sum().item()
