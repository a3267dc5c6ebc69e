prediction = {}
for share in (0.2, 0.1, 0.05):
    traces, squared_norms = records[share]
    noise_scale = traces / squared_norms  # hides the module of that name
    weight = 1 / (1 + noise_scale / 32)
    prediction[share] = np.float32(weight.sum() + (weight * noise_scale).sum() / 512)
