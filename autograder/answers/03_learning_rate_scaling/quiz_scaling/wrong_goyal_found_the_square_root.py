# fails: quiz_scaling_choice
# says: H does not hold: It was the other way round: 26.22 % error with the square root, 23.74 % with the linear rule.
# says: 2 more of the options hold.
answer_quiz_scaling = "FH"
