# fails: quiz_optimizers_choice
# says: F does not hold: Where the norm of the layer is 0 the ratio is 1
answer_quiz_optimizers = {"B", "D", "E", "F", "I"}
