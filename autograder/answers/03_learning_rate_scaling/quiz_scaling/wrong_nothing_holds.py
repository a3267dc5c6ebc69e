# fails: quiz_scaling_choice
# says: a set of letters, such as {"A", "B"}, out of A, B, C, D, E, F, G, H, I
answer_quiz_scaling = set()
