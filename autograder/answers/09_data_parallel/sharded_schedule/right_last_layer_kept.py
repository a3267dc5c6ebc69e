def sharded_schedule(m):
    m.load(weights="shard", optimizer="shard")
    first, last = m.layers[0], m.layers[-1]
    for micro_batch in m.micro_batches:
        m.all_gather(first)
        for layer in m.layers:
            if layer < last:
                m.all_gather(layer + 1, async_op=True)
            m.forward(layer, micro_batch)
            if layer < last:
                m.free(layer)  # the last one is needed at once for its backward pass
        for layer in reversed(m.layers):
            if layer > first:
                m.all_gather(layer - 1, async_op=True)
            m.backward(layer, micro_batch)
            m.reduce_scatter(layer, async_op=True)
            m.free(layer)
    for layer in reversed(m.layers):
        m.update(layer)
