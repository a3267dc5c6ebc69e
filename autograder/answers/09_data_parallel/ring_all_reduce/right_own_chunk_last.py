def ring_all_reduce(tensor, ring):
    """Each rank ends the first half with the chunk of its own number, as reduce_scatter has it."""
    chunks = [chunk.clone() for chunk in tensor.tensor_split(ring.num_ranks)]
    place = ring.rank - 1
    for _ in range(ring.num_ranks - 1):
        arrived = ring.exchange(chunks[place % ring.num_ranks], like=chunks[(place - 1) % ring.num_ranks])
        place -= 1
        chunks[place % ring.num_ranks] = chunks[place % ring.num_ranks] + arrived
    place = ring.rank
    for _ in range(ring.num_ranks - 1):
        arrived = ring.exchange(chunks[place % ring.num_ranks], like=chunks[(place - 1) % ring.num_ranks])
        place -= 1
        chunks[place % ring.num_ranks] = arrived
    return torch.cat(chunks)
