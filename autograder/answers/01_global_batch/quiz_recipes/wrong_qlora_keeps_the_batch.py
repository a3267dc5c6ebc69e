# fails: quiz_recipes_choice
# says: B holds: Both make up 128 sequences.
# says: C does not hold: It makes up 1 × 4 × 2 = 8 sequences, a sixteenth of 8 × 16 × 1 = 128
# says: E holds: An average of equally large averages is the average of everything.
answer_quiz_recipes = {"B", "C", "E"}
