answer_quiz_knee = {"A", "E", "G", "H"}
