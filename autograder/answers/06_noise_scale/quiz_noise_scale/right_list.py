answer_quiz_noise_scale = ["H", "E", "D", "A"]
