# fails: quiz_step_choice
# says: 1 more of the options holds
answer_quiz_step = {"B", "G"}
