# fails: accumulate_schedule_fits, accumulate_schedule_other_machines
# says: all_reduce or reduce_scatter adds up the ranks
def accumulate_schedule(m):
    m.load()
    for micro_batch in m.micro_batches:
        for layer in m.layers:
            m.forward(layer, micro_batch)
        for layer in reversed(m.layers):
            m.backward(layer, micro_batch)

    for layer in m.layers:
        m.update(layer)
