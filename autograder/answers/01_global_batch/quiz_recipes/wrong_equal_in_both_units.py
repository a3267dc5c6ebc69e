# fails: quiz_recipes_choice
# says: B holds: Both make up 128 sequences.
# says: D does not hold: The tokens are the same, the examples are twice as many.
# says: E holds: An average of equally large averages is the average of everything.
answer_quiz_recipes = {"B", "D", "E"}
