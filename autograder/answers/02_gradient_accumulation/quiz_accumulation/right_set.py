answer_quiz_accumulation = {"A", "C", "G"}
