# fails: change_coordinates_by_hand, change_coordinates_equivalence
# says: the preconditioner divides by h^p
def change_coordinates(curvatures, noises, starts, power):
    return curvatures ** (1 + power), noises * curvatures**power, starts * curvatures**power
