# fails: quiz_monitor_choice
# says: 20 of 21 tokens are spent on that
answer_quiz_monitor = {"A", "D", "F", "H"}
