answer_quiz_memory = {"B", "D", "G", "H"}
