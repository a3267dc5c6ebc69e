# fails: change_coordinates_by_hand, change_coordinates_equivalence
# says: this is the noise of the old coordinates, c h^-2p; the new ruler gives back h^p
def change_coordinates(curvatures, noises, starts, power):
    return curvatures ** (1 - power), noises * curvatures ** (-2 * power), starts * curvatures**power
