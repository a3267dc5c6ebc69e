answer_quiz_validate = "B"
