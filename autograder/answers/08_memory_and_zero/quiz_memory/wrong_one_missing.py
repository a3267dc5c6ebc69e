# fails: quiz_memory_choice
# says: 1 more of the options holds.
answer_quiz_memory = {"B", "D", "G"}
