# fails: sharded_schedule_in_time
# says: rank 0 computes for 36.5 and waits for
def sharded_schedule(m):
    m.load(weights="shard", optimizer="shard")
    for micro_batch in m.micro_batches:
        m.all_gather(0)
        for layer in m.layers:
            if layer + 1 in m.layers:
                m.all_gather(layer + 1, async_op=True)
            m.forward(layer, micro_batch)
            m.free(layer)
        m.all_gather(m.layers[-1])
        for layer in reversed(m.layers):
            if layer > 0:
                m.all_gather(layer - 1, async_op=True)
            m.backward(layer, micro_batch)
            m.reduce_scatter(layer)
            m.free(layer)
    for layer in m.layers:
        m.update(layer)
