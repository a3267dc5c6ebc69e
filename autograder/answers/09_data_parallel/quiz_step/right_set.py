answer_quiz_step = {"B", "D", "G"}
