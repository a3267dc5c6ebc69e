# fails: quiz_scaling_choice
# says: E does not hold: The limit is B_noise + 2 B_0 = 2512.
# says: G does not hold: Weight decay that the optimizer adds to the gradient grows with the rate and not with the loss
answer_quiz_scaling = {"A", "C", "E", "F", "G"}
