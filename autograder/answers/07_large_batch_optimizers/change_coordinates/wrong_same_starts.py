# fails: change_coordinates_by_hand, change_coordinates_equivalence
# says: the starts are measured with the new ruler, too
def change_coordinates(curvatures, noises, starts, power):
    return curvatures ** (1 - power), noises * curvatures ** (-power), starts
