# fails: sharded_schedule_fits, sharded_schedule_in_time, sharded_schedule_other_machines
# says: whole gradients at once: accumulation does not make them smaller, reduce_scatter does
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
            m.free(layer)
    for layer in m.layers:
        m.reduce_scatter(layer)
    for layer in m.layers:
        m.update(layer)
