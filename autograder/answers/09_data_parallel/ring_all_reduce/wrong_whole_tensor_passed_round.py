# fails: ring_all_reduce_of_the_table, ring_all_reduce_odd_sizes
# says: the whole tensor was passed round
def ring_all_reduce(tensor, ring):
    total, passed = tensor.clone(), tensor
    for _ in range(ring.num_ranks - 1):
        passed = ring.exchange(passed, like=tensor)
        total += passed
    return total
