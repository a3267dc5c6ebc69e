# fails: change_coordinates_by_hand, change_coordinates_equivalence
# says: this is h^(1-p/2)
def change_coordinates(curvatures, noises, starts, power):
    return curvatures ** (1 - power / 2), noises * curvatures ** (-power), starts * curvatures**power
