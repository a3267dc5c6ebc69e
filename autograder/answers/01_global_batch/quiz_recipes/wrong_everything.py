# fails: quiz_recipes_choice
# says: A does not hold: The wrong way round: half the ranks share the same batch, so each needs twice the micro-batches.
# says: C does not hold: It makes up 1 × 4 × 2 = 8 sequences, a sixteenth of 8 × 16 × 1 = 128
# says: D does not hold: The tokens are the same, the examples are twice as many.
answer_quiz_recipes = set("ABCDE")
