def plug_in(noise_scale, batch):
    trace = 1.0
    squared_norm = trace / noise_scale
    long_squared_norm = squared_norm + trace / batch
    return trace / long_squared_norm
