# fails: quiz_scaling_choice
# says: B does not hold: The rule goes by the batch, and 8 × 4 = 32
# says: A holds
# says: C holds
# says: 1 more of the options holds.
answer_quiz_scaling = {"A", "B", "C"}
