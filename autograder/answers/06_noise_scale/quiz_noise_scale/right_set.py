answer_quiz_noise_scale = {"A", "D", "E", "H"}
