verdicts = dict(A=False, B=True, C=False, D=False, E=True)
answer_quiz_recipes = frozenset(letter for letter, holds in verdicts.items() if holds)
