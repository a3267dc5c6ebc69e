# fails: change_coordinates_by_hand, change_coordinates_equivalence
# says: the preconditioner acts on the noise, too
def change_coordinates(curvatures, noises, starts, power):
    return curvatures ** (1 - power), noises, starts * curvatures**power
