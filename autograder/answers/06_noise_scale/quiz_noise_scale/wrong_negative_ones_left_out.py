# fails: quiz_noise_scale_choice
# says: C does not hold: Then only those with too much luck stay
# says: 1 more of the options holds
answer_quiz_noise_scale = {"A", "C", "D", "E"}
