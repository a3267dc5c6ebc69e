# fails: quiz_recipes_choice
# says: E holds: An average of equally large averages is the average of everything.
# says: 1 more of the options holds.
answer_quiz_recipes = {"E"}
