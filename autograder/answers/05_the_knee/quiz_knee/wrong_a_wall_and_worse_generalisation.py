# fails: quiz_knee_choice
# says: D does not hold: Doubling the batch at B_crit still makes a run 1.33 times faster
# says: F does not hold: After the same number of epochs they have taken fewer steps
answer_quiz_knee = {"A", "D", "F", "G", "H"}
