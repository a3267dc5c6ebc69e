answer_quiz_monitor = ["d", "a", "g", "f"]
