# fails: change_coordinates_by_hand, change_coordinates_equivalence
# says: m is a mean square: it scales with the square of h^(p/2)
def change_coordinates(curvatures, noises, starts, power):
    return curvatures ** (1 - power), noises * curvatures ** (-power), starts * curvatures ** (power / 2)
