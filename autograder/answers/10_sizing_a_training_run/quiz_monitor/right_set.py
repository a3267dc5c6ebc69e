answer_quiz_monitor = {"A", "D", "F", "G"}
