# fails: accumulate_schedule_fits, accumulate_schedule_other_machines
# says: backward(1, 0) before it
# says: go from the last layer to the first
def accumulate_schedule(m):
    m.load()
    for micro_batch in m.micro_batches:
        for layer in m.layers:
            m.forward(layer, micro_batch)
        for layer in m.layers:
            m.backward(layer, micro_batch)
    for layer in m.layers:
        m.all_reduce(layer)
        m.update(layer)
