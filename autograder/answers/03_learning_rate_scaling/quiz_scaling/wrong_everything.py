# fails: quiz_scaling_choice
# says: the 3 options that hold
# says: B does not hold
# says: I does not hold
answer_quiz_scaling = set("ABCDEFGHI")
