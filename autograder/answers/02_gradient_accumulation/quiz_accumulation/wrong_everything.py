# fails: quiz_accumulation_choice
# says: B does not hold: LayerNorm and RMSNorm
# says: D does not hold: Adam divides
# says: E does not hold: Only the activations
# says: F does not hold: It multiplies two averages
# says: H does not hold: A token of a short micro-batch
answer_quiz_accumulation = set("ABCDEFGH")
