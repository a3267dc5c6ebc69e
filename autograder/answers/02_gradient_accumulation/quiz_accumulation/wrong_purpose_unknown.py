# fails: quiz_accumulation_choice
# says: C holds: BatchNorm normalises by the mean and variance of the micro-batch, so examples depend on their neighbours.
# says: G holds: Clipping is not linear: where a micro-batch is over the limit it is shortened
# says: 1 more of the options holds.
answer_quiz_accumulation = {"C", "G"}
