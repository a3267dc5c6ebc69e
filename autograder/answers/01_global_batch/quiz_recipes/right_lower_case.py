answer_quiz_recipes = ("b", "e")
