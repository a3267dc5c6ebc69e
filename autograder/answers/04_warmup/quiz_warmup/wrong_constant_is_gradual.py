# fails: quiz_warmup_choice
# says: 1 more of the options holds
answer_quiz_warmup = {"D", "H", "I"}
