# fails: quiz_optimizers_choice
# says: C does not hold: There it is SGD with the rate η / (1 - β)
# says: 1 more of the options holds.
answer_quiz_optimizers = {"B", "C", "E", "I"}
