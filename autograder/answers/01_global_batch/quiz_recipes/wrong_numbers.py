# fails: quiz_recipes_choice
# says: a set of letters, such as {"A", "B"}, out of A, B, C, D, E
answer_quiz_recipes = {2, 5}
