# fails: change_coordinates_by_hand, change_coordinates_equivalence
# says: φ = h^(p/2) θ is larger in steep directions
def change_coordinates(curvatures, noises, starts, power):
    return curvatures ** (1 - power), noises * curvatures ** (-power), starts * curvatures ** (-power)
