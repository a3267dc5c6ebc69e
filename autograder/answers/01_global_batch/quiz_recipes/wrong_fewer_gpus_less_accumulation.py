# fails: quiz_recipes_choice
# says: the 2 options that hold
# says: A does not hold: The wrong way round: half the ranks share the same batch, so each needs twice the micro-batches.
# says: B holds: Both make up 128 sequences.
# says: E holds: An average of equally large averages is the average of everything.
answer_quiz_recipes = {"A", "B", "E"}
