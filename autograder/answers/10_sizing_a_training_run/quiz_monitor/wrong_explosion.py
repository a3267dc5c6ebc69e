# fails: quiz_monitor_choice
# says: The norm is that of noise
# says: 1 more of the options holds
answer_quiz_monitor = {"A", "C", "F", "G"}
