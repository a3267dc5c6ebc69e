# fails: quiz_warmup_choice
# says: F does not hold: It keeps the rate outside
# says: G does not hold: Each step becomes 1 / (1 - 0.9) = 10 times as long
answer_quiz_warmup = ["B", "D", "F", "G", "H", "I"]
