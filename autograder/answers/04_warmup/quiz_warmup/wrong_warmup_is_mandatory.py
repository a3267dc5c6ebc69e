# fails: quiz_warmup_choice
# says: A does not hold: It ended at 24.84 % instead of 23.74 %
# says: 1 more of the options holds
answer_quiz_warmup = {"A", "D", "H", "I"}
