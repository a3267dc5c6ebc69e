# fails: quiz_monitor_choice
# says: 3.3 times sooner
answer_quiz_monitor = {"A", "B", "D", "F", "G"}
