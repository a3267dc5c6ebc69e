# fails: quiz_knee_choice
# says: B does not hold: The steps go on falling, towards S_min
answer_quiz_knee = {"A", "B", "E", "G", "H"}
