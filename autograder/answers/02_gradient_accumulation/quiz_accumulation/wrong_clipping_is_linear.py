# fails: quiz_accumulation_choice
# says: 1 more of the options holds.
answer_quiz_accumulation = {"A", "C"}
