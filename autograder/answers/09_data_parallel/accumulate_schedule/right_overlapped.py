def one_pass(m, micro_batch, last):
    for layer in range(len(m.layers)):
        m.forward(layer, micro_batch)
    for layer in range(len(m.layers) - 1, -1, -1):
        m.backward(layer, micro_batch)
        if last:
            m.all_reduce(layer, async_op=True)


def accumulate_schedule(m):
    m.load(weights="whole", optimizer="whole")
    for micro_batch in m.micro_batches:
        one_pass(m, micro_batch, last=micro_batch == m.micro_batches[-1])
    for layer in reversed(m.layers):
        m.update(layer)
