def change_coordinates(curvatures, noises, starts, power):
    scale = curvatures**power
    return np.array([curvatures / scale, noises / scale, starts * scale])
