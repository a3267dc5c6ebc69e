# fails: quiz_knee_choice
# says: 3 more of the options hold
answer_quiz_knee = "G"
