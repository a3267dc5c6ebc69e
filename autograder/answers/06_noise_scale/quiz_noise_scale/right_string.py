answer_quiz_noise_scale = "a, d, e, h"
