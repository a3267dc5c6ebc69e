answer_quiz_warmup = "b, d, h, i"
