# fails: accumulate_schedule_fits, accumulate_schedule_other_machines
# says: memory: at most 30 GB
# says: activations of 4 micro-batches at once: send one backward before the next goes forward
def accumulate_schedule(m):
    m.load()
    for micro_batch in m.micro_batches:
        for layer in m.layers:
            m.forward(layer, micro_batch)
    for micro_batch in m.micro_batches:
        for layer in reversed(m.layers):
            m.backward(layer, micro_batch)
    for layer in m.layers:
        m.all_reduce(layer)
        m.update(layer)
