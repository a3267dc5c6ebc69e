# fails: quiz_noise_scale_choice
# says: B does not hold: The recipe prints little else than its own batch
# says: G does not hold: The other way round
answer_quiz_noise_scale = {"A", "B", "D", "E", "G", "H"}
