# fails: quiz_optimizers_choice
# says: G does not hold: From the norm of the step
answer_quiz_optimizers = {"B", "D", "E", "G", "I"}
