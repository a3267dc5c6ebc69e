# fails: sharded_schedule_fits, sharded_schedule_in_time, sharded_schedule_other_machines
# says: a layer of which the ranks hold different shards
# says: free it in between, or leave this out
def sharded_schedule(m):
    m.load(weights="shard", optimizer="shard")
    for micro_batch in m.micro_batches:
        for layer in m.layers:
            m.all_gather(layer)
            m.forward(layer, micro_batch)
        for layer in reversed(m.layers):
            m.all_gather(layer)
            m.backward(layer, micro_batch)
            m.reduce_scatter(layer)
    for layer in m.layers:
        m.update(layer)
