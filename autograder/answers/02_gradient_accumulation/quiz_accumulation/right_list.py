answer_quiz_accumulation = ["G", "C", "A"]
