# fails: quiz_accumulation_choice
# says: A holds: The step averages over K micro-batches
# says: 2 more of the options hold.
answer_quiz_accumulation = "A"
