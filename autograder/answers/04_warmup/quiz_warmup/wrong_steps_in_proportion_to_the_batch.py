# fails: quiz_warmup_choice
# says: C does not hold: Then the share of the run grows with the square of the batch
answer_quiz_warmup = {"B", "C", "D", "H", "I"}
