# fails: change_coordinates_by_hand, change_coordinates_equivalence
# says: this is h^(1-2p)
def change_coordinates(curvatures, noises, starts, power):
    return curvatures ** (1 - 2 * power), noises * curvatures ** (-power), starts * curvatures**power
