answer_quiz_optimizers = ["i", "e", "d", "b"]
