def ring_all_reduce(tensor, ring):
    R, r = ring.num_ranks, ring.rank
    total = tensor.clone()
    bounds = [0]
    for chunk in torch.tensor_split(tensor, R):
        bounds.append(bounds[-1] + len(chunk))
    parts = [slice(bounds[i], bounds[i + 1]) for i in range(R)]
    for s in range(R - 1):
        send, receive = parts[(r - s) % R], parts[(r - s - 1) % R]
        total[receive] += ring.exchange(total[send], total[receive])
    for s in range(R - 1):
        send, receive = parts[(r + 1 - s) % R], parts[(r - s) % R]
        total[receive] = ring.exchange(total[send], total[receive])
    return total
