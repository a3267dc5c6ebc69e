answer_quiz_scaling = {"A", "C", "F"}
