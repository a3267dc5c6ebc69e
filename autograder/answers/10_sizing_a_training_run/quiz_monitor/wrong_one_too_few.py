# fails: quiz_monitor_choice
# says: 1 more of the options holds
answer_quiz_monitor = {"A", "D", "F"}
