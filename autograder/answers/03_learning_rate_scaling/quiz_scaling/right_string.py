answer_quiz_scaling = "f, a, c"
