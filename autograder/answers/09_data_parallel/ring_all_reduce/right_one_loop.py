def ring_all_reduce(tensor, ring):
    n = ring.num_ranks
    chunks = list(torch.tensor_split(tensor, n))
    for step in range(2 * (n - 1)):
        i = (ring.rank - step) % n if step < n - 1 else (ring.rank + 1 - (step - n + 1)) % n
        j = (i - 1) % n
        arriving = ring.exchange(chunks[i], like=chunks[j])
        chunks[j] = chunks[j] + arriving if step < n - 1 else arriving
    return [float(value) for chunk in chunks for value in chunk]
