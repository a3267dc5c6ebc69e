# fails: ring_all_reduce_of_the_table, ring_all_reduce_odd_sizes
# says: nothing went through ring.exchange
def ring_all_reduce(tensor, ring):
    total = tensor.clone()
    dist.all_reduce(total)
    return total
