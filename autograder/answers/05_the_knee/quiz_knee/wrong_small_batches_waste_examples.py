# fails: quiz_knee_choice
# says: C does not hold: The other way round
answer_quiz_knee = {"A", "C", "E", "G", "H"}
