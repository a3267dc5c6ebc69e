holds = dict(A=True, B=False, C=True, D=False, E=False, F=False, G=True, H=False)
answer_quiz_accumulation = frozenset(letter for letter, true in holds.items() if true)
