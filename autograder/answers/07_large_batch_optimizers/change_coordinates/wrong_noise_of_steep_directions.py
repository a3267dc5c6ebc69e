# fails: change_coordinates_by_hand, change_coordinates_equivalence
# says: flat directions get more noise, not less: c h^-p
def change_coordinates(curvatures, noises, starts, power):
    return curvatures ** (1 - power), noises * curvatures**power, starts * curvatures**power
