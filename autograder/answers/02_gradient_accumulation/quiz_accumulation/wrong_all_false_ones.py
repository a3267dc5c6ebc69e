# fails: quiz_accumulation_choice
# says: 3 more of the options hold.
answer_quiz_accumulation = {"B", "D", "E", "F", "H"}
