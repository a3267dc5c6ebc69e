# fails: quiz_step_choice
# says: C does not hold: For DDP with no_sync, yes
# says: H does not hold
# says: 3 more of the options hold
answer_quiz_step = {"C", "H"}
