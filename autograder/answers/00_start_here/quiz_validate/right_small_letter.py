answer_quiz_validate = "b"
