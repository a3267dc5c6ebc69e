answer_quiz_step = "bdg"
