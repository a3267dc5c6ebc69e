answer_quiz_monitor = "ADFG"
