# fails: quiz_accumulation_choice
# says: B does not hold: LayerNorm and RMSNorm normalise each token by itself
# says: 1 more of the options holds.
answer_quiz_accumulation = {"A", "B", "G"}
