# fails: quiz_validate_choice
# says: one letter
answer_quiz_validate = "ABC"
