# fails: quiz_noise_scale_choice
# says: the 4 options that hold
answer_quiz_noise_scale = "ABCDEFGH"
