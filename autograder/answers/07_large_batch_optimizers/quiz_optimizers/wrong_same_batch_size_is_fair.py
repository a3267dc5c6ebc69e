# fails: quiz_optimizers_choice
# says: H does not hold: 60 settings against 1.
answer_quiz_optimizers = "BDEHI"
