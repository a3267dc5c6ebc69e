answer_quiz_accumulation = "a, c, g"
