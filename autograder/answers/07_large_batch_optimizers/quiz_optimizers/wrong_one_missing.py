# fails: quiz_optimizers_choice
# says: 1 more of the options holds.
answer_quiz_optimizers = {"B", "D", "I"}
