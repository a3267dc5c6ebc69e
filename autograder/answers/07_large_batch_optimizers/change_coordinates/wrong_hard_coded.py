# fails: change_coordinates_equivalence
def change_coordinates(curvatures, noises, starts, power):
    return [8.0, 1 / 8], [1.5, 10.0], [2.0, 3.5]
