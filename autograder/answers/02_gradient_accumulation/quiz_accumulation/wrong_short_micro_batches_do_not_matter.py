# fails: quiz_accumulation_choice
# says: H does not hold: A token of a short micro-batch would count for more than one of a long one.
answer_quiz_accumulation = {"A", "C", "G", "H"}
