answer_quiz_accumulation = "ACG"
