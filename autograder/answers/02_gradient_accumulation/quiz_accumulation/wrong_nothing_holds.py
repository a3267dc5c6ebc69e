# fails: quiz_accumulation_choice
# says: a set of letters, such as {"A", "B"}, out of A, B, C, D, E, F, G, H
answer_quiz_accumulation = set()
