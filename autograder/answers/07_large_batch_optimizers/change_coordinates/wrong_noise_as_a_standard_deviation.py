# fails: change_coordinates_by_hand, change_coordinates_equivalence
# says: the noise is a variance
def change_coordinates(curvatures, noises, starts, power):
    return curvatures ** (1 - power), noises * curvatures ** (-power / 2), starts * curvatures**power
