def change_coordinates(curvatures, noises, starts, power):
    new_curvatures, new_noises, new_starts = [], [], []
    for h, c, m in zip(curvatures, noises, starts):
        new_curvatures.append(h ** (1 - power))
        new_noises.append(c / h**power)
        new_starts.append(m * h**power)
    return new_curvatures, new_noises, new_starts
