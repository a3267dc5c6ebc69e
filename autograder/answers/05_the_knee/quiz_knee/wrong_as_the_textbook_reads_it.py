# fails: quiz_knee_choice
# says: 4 more of the options hold
answer_quiz_knee = "BCDF"
