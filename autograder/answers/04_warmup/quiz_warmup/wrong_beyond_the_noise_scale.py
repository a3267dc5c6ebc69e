# fails: quiz_warmup_choice
# says: E does not hold: A ramp changes when the peak is reached, not what a step at the peak does
answer_quiz_warmup = {"B", "D", "E", "I"}
