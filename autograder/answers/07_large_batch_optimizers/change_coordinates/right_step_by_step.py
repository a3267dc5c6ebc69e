def change_coordinates(curvatures, noises, starts, power):
    ruler = np.sqrt(curvatures) ** power  # φ = ruler · θ
    preconditioner = curvatures ** (-power)
    new_curvatures = ruler * preconditioner * curvatures / ruler
    new_noises = (ruler * preconditioner) ** 2 * noises
    new_starts = ruler**2 * starts
    return [new_curvatures, new_noises, new_starts]
