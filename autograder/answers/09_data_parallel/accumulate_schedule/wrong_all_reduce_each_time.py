# fails: accumulate_schedule_fits, accumulate_schedule_other_machines
# says: what the ranks add up holds sums over the ranks already: reduce each gradient once
def accumulate_schedule(m):
    m.load()
    for micro_batch in m.micro_batches:
        for layer in m.layers:
            m.forward(layer, micro_batch)
        for layer in reversed(m.layers):
            m.backward(layer, micro_batch)

        for layer in m.layers:
            m.all_reduce(layer)
    for layer in m.layers:
        m.update(layer)
