# fails: quiz_monitor_choice
# says: A lower rate helps where noise keeps the loss up
answer_quiz_monitor = {"A", "D", "E", "G"}
