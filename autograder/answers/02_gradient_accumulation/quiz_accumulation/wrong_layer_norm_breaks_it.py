# fails: quiz_accumulation_choice
# says: B does not hold: LayerNorm and RMSNorm normalise each token by itself: it does not matter who else is in the micro-batch.
# says: A holds: The step averages over K micro-batches, of which only one is in memory at a time.
# says: the 3 options that hold
answer_quiz_accumulation = {"A", "B", "C", "G"}
