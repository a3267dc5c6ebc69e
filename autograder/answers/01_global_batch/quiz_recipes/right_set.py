answer_quiz_recipes = {"B", "E"}
