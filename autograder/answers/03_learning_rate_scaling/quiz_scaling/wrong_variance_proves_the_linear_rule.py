# fails: quiz_scaling_choice
# says: D does not hold: It says nothing about what should stay the same.
# says: I does not hold: It needs a gradient that hardly changes over the k steps
# says: F holds
answer_quiz_scaling = ["A", "C", "D", "F", "I"]
