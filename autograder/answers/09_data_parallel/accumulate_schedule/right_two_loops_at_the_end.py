def accumulate_schedule(m):
    m.load("whole", "whole")
    for micro_batch in m.micro_batches:
        for layer in m.layers:
            m.forward(layer, micro_batch)
        for layer in reversed(m.layers):
            m.backward(layer, micro_batch)

    for layer in m.layers:
        m.all_reduce(layer)
    for layer in m.layers[::-1]:
        m.update(layer)
