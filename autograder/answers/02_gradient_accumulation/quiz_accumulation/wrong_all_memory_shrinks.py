# fails: quiz_accumulation_choice
# says: E does not hold: Only the activations shrink to an eighth. Parameters, gradients and optimizer state stay as they are.
answer_quiz_accumulation = {"A", "C", "E", "G"}
