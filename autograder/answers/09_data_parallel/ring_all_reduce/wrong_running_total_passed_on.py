# fails: ring_all_reduce_of_the_table, ring_all_reduce_odd_sizes
# says: the sum so far was passed on, in which some numbers are already
def ring_all_reduce(tensor, ring):
    total = tensor.clone()
    for _ in range(ring.num_ranks - 1):
        total = total + ring.exchange(total, like=total)
    return total
