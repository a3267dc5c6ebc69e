# fails: quiz_scaling_choice
# says: A holds
# says: C holds
# says: 1 more of the options holds.
answer_quiz_scaling = {"A", "C"}
