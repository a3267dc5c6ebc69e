# fails: quiz_validate_choice
# says: C does not hold: Checks test what a function returns
answer_quiz_validate = "C"
