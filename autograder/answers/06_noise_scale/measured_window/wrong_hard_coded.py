# fails: measured_window_network
def measured_window(model, loss_of, micro_batches, max_norm):
    sum(loss_of(model, micro_batch) / len(micro_batches) for micro_batch in micro_batches).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    return 33.0, 13.0
