# fails: quiz_recipes_choice
# says: A does not hold: The wrong way round: half the ranks share the same batch, so each needs twice the micro-batches.
# says: B holds: Both make up 128 sequences.
# says: 1 more of the options holds.
answer_quiz_recipes = {"A", "B"}
