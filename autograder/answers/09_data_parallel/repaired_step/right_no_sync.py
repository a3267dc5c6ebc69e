def repaired_step(model, optimizer, micro_batches):
    K = len(micro_batches)
    for k in range(K):
        with model.no_sync() if k < K - 1 else nullcontext():
            loss = loss_of(model, micro_batches[k])
            torch.div(loss, K).backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
