# fails: sharded_schedule_in_time, sharded_schedule_other_machines
def sharded_schedule(m):
    m.load(weights="shard", optimizer="shard")
    for micro_batch in range(3):
        for layer in range(4):
            m.all_gather(layer)
            m.forward(layer, micro_batch)
            m.free(layer)
        for layer in (3, 2, 1, 0):
            m.all_gather(layer)
            m.backward(layer, micro_batch)
            m.reduce_scatter(layer)
            m.free(layer)
    for layer in range(4):
        m.update(layer)
