# fails: sharded_schedule_in_time
# says: time: at most 43.25 forward passes
# says: a collective that starts with async_op=True, early enough, runs beside the computation
def sharded_schedule(m):
    m.load(weights="shard", optimizer="shard")
    for micro_batch in m.micro_batches:
        for layer in m.layers:
            m.all_gather(layer)
            m.forward(layer, micro_batch)
            m.free(layer)
        for layer in reversed(m.layers):
            m.all_gather(layer)
            m.backward(layer, micro_batch)
            m.reduce_scatter(layer)
            m.free(layer)
    for layer in m.layers:
        m.update(layer)
