def sharded_schedule(m):
    """Gather along the order in which a micro-batch uses its layers, one use ahead."""
    m.load("shard", "shard")
    for micro_batch in m.micro_batches:
        uses = [(m.forward, layer) for layer in m.layers]
        uses += [(m.backward, layer) for layer in reversed(m.layers)]
        for number, (use, layer) in enumerate(uses):
            if number in (0, len(m.layers)):  # the first of a pass: nobody has asked for it
                m.all_gather(layer)
            if number + 1 < len(uses) and uses[number + 1][0] == use:
                m.all_gather(uses[number + 1][1], async_op=True)
            use(layer, micro_batch)
            if use == m.backward:
                m.reduce_scatter(layer, async_op=True)
            m.free(layer)
    for layer in m.layers:
        m.update(layer)
