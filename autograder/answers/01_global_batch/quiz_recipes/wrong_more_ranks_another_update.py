# fails: quiz_recipes_choice
# says: B holds: Both make up 128 sequences.
# says: 1 more of the options holds.
answer_quiz_recipes = "b"
