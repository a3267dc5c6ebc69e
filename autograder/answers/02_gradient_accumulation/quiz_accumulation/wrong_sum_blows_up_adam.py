# fails: quiz_accumulation_choice
# says: D does not hold: Adam divides by the size of the gradient, so the factor K cancels. SGD's steps would be K times too long.
answer_quiz_accumulation = {"A", "C", "D", "G"}
