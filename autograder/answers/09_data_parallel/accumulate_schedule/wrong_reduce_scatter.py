# fails: accumulate_schedule_fits, accumulate_schedule_other_machines
# says: a whole optimizer state needs a whole sum: all_reduce
def accumulate_schedule(m):
    m.load()
    for micro_batch in m.micro_batches:
        for layer in m.layers:
            m.forward(layer, micro_batch)
        for layer in reversed(m.layers):
            m.backward(layer, micro_batch)

    for layer in m.layers:
        m.reduce_scatter(layer)
        m.update(layer)
