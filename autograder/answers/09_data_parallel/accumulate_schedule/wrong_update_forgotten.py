# fails: accumulate_schedule_fits, accumulate_schedule_other_machines
# says: update is missing
def accumulate_schedule(m):
    m.load()
    for micro_batch in m.micro_batches:
        for layer in m.layers:
            m.forward(layer, micro_batch)
        for layer in reversed(m.layers):
            m.backward(layer, micro_batch)

    for layer in m.layers:
        m.all_reduce(layer)
