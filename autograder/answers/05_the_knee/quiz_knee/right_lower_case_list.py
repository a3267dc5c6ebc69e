answer_quiz_knee = ["h", "g", "e", "a"]
