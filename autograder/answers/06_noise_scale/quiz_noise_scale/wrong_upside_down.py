# fails: quiz_noise_scale_choice
# says: F does not hold: It is upside down
answer_quiz_noise_scale = "ADEFH"
