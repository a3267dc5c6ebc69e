# fails: ring_all_reduce_of_the_table, ring_all_reduce_odd_sizes
# says: the second half must begin with the chunk that is complete
def ring_all_reduce(tensor, ring):
    chunks = list(torch.tensor_split(tensor.clone(), ring.num_ranks))
    for step in range(ring.num_ranks - 1):
        outgoing = (ring.rank - step) % ring.num_ranks
        arriving = (outgoing - 1) % ring.num_ranks
        chunks[arriving] += ring.exchange(chunks[outgoing], like=chunks[arriving])
    for step in range(ring.num_ranks - 1):
        outgoing = (ring.rank - step) % ring.num_ranks
        arriving = (outgoing - 1) % ring.num_ranks
        chunks[arriving] = ring.exchange(chunks[outgoing], like=chunks[arriving])
    return torch.cat(chunks)
