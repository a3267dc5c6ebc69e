answer_quiz_optimizers = "B, D, E, I"
