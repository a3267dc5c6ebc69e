# fails: quiz_validate_choice
# says: A does not hold: Validate cannot see the hidden checks
answer_quiz_validate = "A"
