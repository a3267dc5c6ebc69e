answer_quiz_recipes = "e, b"
