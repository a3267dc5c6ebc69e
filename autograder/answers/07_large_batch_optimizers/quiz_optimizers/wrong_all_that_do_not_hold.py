# fails: quiz_optimizers_choice
# says: 4 more of the options hold.
answer_quiz_optimizers = "ACFGH"
