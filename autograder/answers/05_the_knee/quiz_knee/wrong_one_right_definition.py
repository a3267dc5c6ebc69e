# fails: quiz_knee_choice
# says: 1 more of the options holds
answer_quiz_knee = {"A", "E", "G"}
