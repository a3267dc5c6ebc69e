answer_quiz_recipes = "BE"
