# fails: quiz_step_choice
# says: Not quite twice as many
# says: For DDP with no_sync, yes
# says: the longer of the two, 2.0 s
# says: the messages are not
# says: in the demo a quarter of the bytes made three quarters of the time
answer_quiz_step = {"A", "C", "E", "F", "H"}
