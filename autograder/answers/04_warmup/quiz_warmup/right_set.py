answer_quiz_warmup = {"B", "D", "H", "I"}
