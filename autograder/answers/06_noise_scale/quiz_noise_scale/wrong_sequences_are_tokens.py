# fails: quiz_noise_scale_choice
# says: 1 more of the options holds
answer_quiz_noise_scale = {"D", "E", "H"}
