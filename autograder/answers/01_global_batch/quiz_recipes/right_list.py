answer_quiz_recipes = ["E", "B"]
