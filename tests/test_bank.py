"""The bank autograder/answers/: every right answer gets full marks, every wrong one loses them and reads which mistake it is.

To each exercise three wrong answers are added here: the untouched stub, a function that returns None, and one that returns something
of a wrong type. All of them are judged in forks of one process a lesson. A right answer to each exercise of a lesson, and for a few lessons
a wrong answer and no answer in turn, are graded with nbgrader as well, which must come to the same verdicts.
"""

import ast
import re
import tomllib

import pytest
from bank import BANK, Answer, bank, exercises
from conftest import LESSONS
from judging import judge
from submissions import failed, named, read, submission

from autograder.trial import TrialCourse
from autograder.verdicts import Verdict
from largebatch.quiz import QUIZZES, letters

NOT_A_NUMBER = "wrong type"
# What nbgrader grades: a lesson is run for each, so poor answers are for some lessons only.
GRADED = [(lesson, "right") for lesson in LESSONS] + [(lesson, "poor") for lesson in LESSONS[2::4]]


# -- wrong answers that every exercise must refuse -----------------------------------------------------------------------------


def generated(lesson: str) -> list[Answer]:
    """Return the wrong answers that every exercise must refuse."""
    released, solved = named(read("notebooks", lesson)), named(read("solutions", lesson))
    return [
        Answer(lesson, exercise, name, source)
        for exercise in exercises(lesson)
        for name, source in (
            ("generated_stub", released[exercise].source),
            ("generated_none", returning(solved[exercise].source, None)),
            ("generated_wrong_type", returning(solved[exercise].source, NOT_A_NUMBER)),
        )
    ]


def returning(solution: str, value: str | None) -> str:
    """Return an answer in which every function of a solution returns this value, and every variable has it."""
    lines = []
    for statement in ast.parse(solution).body:
        if isinstance(statement, ast.FunctionDef):
            lines += [f"def {statement.name}(*arguments, **options):", f"    return {value!r}"]
        elif isinstance(statement, ast.Assign):
            lines += [f"{ast.unparse(target)} = {value!r}" for target in statement.targets]
    return "\n".join(lines)


# -- judging all of them, and grading some with nbgrader -------------------------------------------------------------------------


def all_answers(lesson: str) -> list[Answer]:
    return [*generated(lesson), *bank("right", lesson), *bank("wrong", lesson)]


def judge_all(lesson: str) -> dict[Answer, list[Verdict]]:
    """Return the verdicts on all answers of a lesson."""
    answers = all_answers(lesson)
    return dict(zip(answers, judge(lesson, [(item.exercise, item.source) for item in answers]), strict=True))


def sample(lesson: str, kind: str) -> dict[str, Answer]:
    """Return answers to all exercises of a lesson: to each a right one, or in turn a wrong one and the untouched stub."""
    if kind == "right":
        return first_of(bank("right", lesson))
    wrong, stubs = first_of(bank("wrong", lesson)), first_of(generated(lesson))
    return {name: (wrong, stubs)[number % 2][name] for number, name in enumerate(exercises(lesson))}


def first_of(items: list[Answer]) -> dict[str, Answer]:
    """Return the first of these answers to each exercise."""
    return {item.exercise: item for item in reversed(items)}


def grade_sample(lesson: str, kind: str) -> tuple[list[Verdict], list[str]]:
    """Grade such answers, handed in as one notebook, with nbgrader; return also the cells that its Validate button then names."""
    with TrialCourse(lesson) as course:
        course.submit("ada", submission(lesson, {name: item.source for name, item in sample(lesson, kind).items()}))
        verdicts = course.grade("ada")
        return verdicts, failed(course.graded("ada"), has_run=True)


def jobs(lesson: str) -> list[tuple]:
    return [(judge_all, lesson), *((grade_sample, *graded) for graded in GRADED if graded[0] == lesson)]


@pytest.fixture
def judged(work):
    """Return a function: lesson → {answer: verdicts on its exercise}."""
    return lambda lesson: work[judge_all, lesson].result()


def lost(verdicts: list[Verdict]) -> set[str]:
    """Return the checks that did not give all their points; one that gave a part of them is a fault of the check."""
    assert all(verdict.points in (0, verdict.max_points) for verdict in verdicts)
    return {verdict.check for verdict in verdicts if verdict.points != verdict.max_points}


def said_by(verdicts) -> str:
    """Return what some checks said."""
    return "\n".join(f"{verdict.check}: {verdict.message}" for verdict in verdicts if verdict.message)


def plain(text: str) -> str:
    """Return a text in lower case with single spaces."""
    return " ".join(text.lower().split())


def told(verdict: Verdict) -> str:
    """Return what a check said; of a failure in ranks not which one was first, nor where: a kernel has other names for the cells."""
    return re.sub(r"\brank \d+ of\b", "a rank of", plain(verdict.message)).partition(' file "')[0]


# -- the tests -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("item", bank("right"), ids=str)
def test_a_right_answer_gets_full_marks(item, judged, tally):
    tally[item.lesson]["right"] += 1
    verdicts = judged(item.lesson)[item]
    assert not lost(verdicts), said_by(verdicts)
    tally[item.lesson]["right accepted"] += 1


@pytest.mark.parametrize("item", bank("wrong"), ids=str)
def test_a_wrong_answer_is_rejected_and_its_mistake_named(item, judged, tally):
    tally[item.lesson].update({"wrong": 1, "to name": bool(item.says)})
    verdicts = judged(item.lesson)[item]
    passed = set(item.fails) - lost(verdicts)
    assert not passed, f"these checks let the mistake pass: {passed}"
    tally[item.lesson]["wrong rejected"] += 1
    said = said_by(verdict for verdict in verdicts if verdict.check in item.fails)
    missing = [text for text in item.says if plain(text) not in plain(said)]
    assert not missing, f"not said: {missing}\n\nsaid:\n{said}"
    tally[item.lesson]["named"] += bool(item.says)


@pytest.mark.parametrize("item", [item for lesson in LESSONS for item in generated(lesson)], ids=str)
def test_no_answer_no_points(item, judged, tally):
    tally[item.lesson]["wrong"] += 1
    assert lost(judged(item.lesson)[item]) == set(exercises(item.lesson)[item.exercise])
    tally[item.lesson]["wrong rejected"] += 1


@pytest.mark.parametrize("lesson", LESSONS)
def test_validate_is_content_with_right_answers(lesson, work):
    _, named_by_validate = work[grade_sample, lesson, "right"].result()
    assert named_by_validate == []


@pytest.mark.parametrize(("lesson", "kind"), GRADED)
def test_nbgrader_comes_to_the_same_verdicts(lesson, kind, judged, work):
    verdicts, _ = work[grade_sample, lesson, kind].result()
    for exercise, item in sample(lesson, kind).items():
        expected = [(verdict.check, verdict.points, told(verdict)) for verdict in judged(lesson)[item]]
        found = [verdict for verdict in verdicts if verdict.exercise == exercise]
        assert [(verdict.check, verdict.points, told(verdict)) for verdict in found] == expected, item


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_check_catches_some_mistake(lesson, judged, tally):
    tally[lesson]["exercises"] = len(exercises(lesson))
    caught = {check for item in bank("wrong", lesson) for check in lost(judged(lesson)[item])}
    assert {check for checks in exercises(lesson).values() for check in checks} - caught == set()


def test_the_bank_names_lessons_exercises_and_checks_that_exist():
    files = {path for path in BANK.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert files == set(BANK.glob("*/*/right_*.py")) | set(BANK.glob("*/*/wrong_*.py")), "not right_*.py nor wrong_*.py"
    for item in bank("right") + bank("wrong"):
        assert item.lesson in LESSONS, item
        assert item.exercise in exercises(item.lesson), item
        assert set(item.fails) <= set(exercises(item.lesson)[item.exercise]), item
        assert bool(item.fails) == item.name.startswith("wrong"), f"{item}: what must it fail?"


@pytest.mark.parametrize("exercise", [(lesson, name) for lesson in LESSONS for name in exercises(lesson)], ids="/".join)
def test_every_exercise_has_enough_answers(exercise):
    right = [item for item in bank("right", exercise[0]) if item.exercise == exercise[1]]
    wrong = [item for item in bank("wrong", exercise[0]) if item.exercise == exercise[1]]
    question = tomllib.loads(QUIZZES.read_text(encoding="utf-8")).get(exercise[1])
    if question is None:
        assert len(right) >= 2 and wrong
    else:
        chosen = {letter for item in wrong for letter in letters(chosen_in(item))}
        assert right and set(question["options"]) - set(question["right"]) <= chosen, "a wrong option is never chosen"


def chosen_in(item: Answer):
    """Return the value of the variable that an answer to a quiz sets."""
    names: dict = {}
    exec(item.source, names)
    return names[f"answer_{item.exercise}"]
