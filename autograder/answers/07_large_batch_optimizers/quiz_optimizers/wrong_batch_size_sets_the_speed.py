# fails: quiz_optimizers_choice
# says: A does not hold: The batch size stands in the noise only.
answer_quiz_optimizers = {"A", "B", "D", "E", "I"}
