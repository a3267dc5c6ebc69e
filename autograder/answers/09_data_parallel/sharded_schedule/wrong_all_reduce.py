# fails: sharded_schedule_fits, sharded_schedule_in_time, sharded_schedule_other_machines
# says: what the ranks add up holds sums over the ranks already: reduce each gradient once
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
            m.all_reduce(layer)
            m.free(layer)
    for layer in m.layers:
        m.update(layer)
