# fails: quiz_memory_choice
# says: F does not hold: The sum of the gradients is as large as one gradient
# says: I does not hold: It is the custom.
# says: J does not hold: It keeps the inputs of all 32 layers
# says: 2 more of the options hold.
answer_quiz_memory = "b, d, f, i, j"
