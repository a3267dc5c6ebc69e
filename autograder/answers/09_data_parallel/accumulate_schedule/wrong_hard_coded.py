# fails: accumulate_schedule_other_machines
# says: there is no micro_batch 2, only 0 to 1
def accumulate_schedule(m):
    m.load()
    for micro_batch in range(4):
        for layer in range(3):
            m.forward(layer, micro_batch)
        for layer in (2, 1, 0):
            m.backward(layer, micro_batch)
    for layer in range(3):
        m.all_reduce(layer)
        m.update(layer)
