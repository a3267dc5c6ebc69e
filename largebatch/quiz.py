"""Quiz questions: a verdict and an explanation for each chosen option. The key stands in quizzes.toml, not in the notebook."""

import tomllib
from pathlib import Path

from largebatch.check import WrongAnswer, described

QUIZZES = Path(__file__).with_name("quizzes.toml")


def check_choice(quiz: str, answer) -> None:
    """Print the verdict on each chosen option with its explanation; raise WrongAnswer unless exactly the right ones are chosen.

    quiz   : the name of a question in quizzes.toml
    answer : a letter such as "B"; where several options hold, a set, list or string of letters
    """
    question = tomllib.loads(QUIZZES.read_text(encoding="utf-8"))[quiz]
    right, options = set(question["right"]), question["options"]
    chosen = letters(answer)
    several = len(right) > 1
    if not chosen or not chosen <= set(options) or (len(chosen) > 1 and not several):
        example = 'a set of letters, such as {"A", "B"}' if several else 'one letter, such as "A"'
        raise WrongAnswer(f"{example}, out of {', '.join(options)}", described(answer))
    verdicts = [
        f"{letter} {'holds' if letter in right else 'does not hold'}: {options[letter]}" for letter in sorted(chosen)
    ]
    if chosen == right:
        print("right", *verdicts, sep="\n")
        return
    if several and right - chosen:
        verdicts.append(f"{len(right - chosen)} more of the options {'holds' if len(right - chosen) == 1 else 'hold'}.")
    raise WrongAnswer(
        f"the {len(right)} options that hold" if several else "the option that holds",
        ", ".join(sorted(chosen)),
        "\n".join(verdicts),
    )


def letters(answer) -> set[str]:
    """Return the chosen letters as a set of capitals; empty where the answer holds no letters."""
    if isinstance(answer, str | set | frozenset | list | tuple):
        return {letter.upper() for part in answer if isinstance(part, str) for letter in part if letter.isalnum()}
    return set()
