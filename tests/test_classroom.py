"""tests/classroom.py: a generated class is the same each time, holds every answer of the bank, and its kinds are what they say."""

import ast
from collections import Counter, defaultdict
from itertools import groupby

import nbformat
import pytest
from bank import bank, exercises
from classroom import KINDS, classroom, hand_in
from submissions import WARM_UP, name_of, named, read

from autograder.trial import TrialCourse

LESSON = "01_global_batch"  # has more exercises than the warm-up
ALL, NONE, SOME = {True}, {False}, {True, False}
TOTAL = 3  # points of the lesson
SOLVED = {  # kind → what its exercises are: with all their points, without, or both
    "perfect": ALL,
    "partial": SOME,
    "wrong": NONE,
    "empty": NONE,
    "syntax_error": SOME,
    "deleted_answer": SOME,
    "deleted_checks": SOME,
    "copied_checks": ALL,
}


def sources(handed_in) -> list[list[str]]:
    return [[cell.source for cell in one.notebook.cells] for one in handed_in]


@pytest.fixture(scope="module")
def graded() -> dict[str, list]:
    """Return the verdicts on one notebook of each kind, by kind."""
    with TrialCourse(WARM_UP) as course:
        hand_in(course.root, classroom([WARM_UP], len(KINDS)))
        return {one.kind: course.grade(one.student) for one in classroom([WARM_UP], len(KINDS))}


def test_the_same_seed_gives_the_same_class():
    assert list(classroom([WARM_UP], 20, seed=1)) == list(classroom([WARM_UP], 20, seed=1))
    assert sources(classroom([WARM_UP], 20, seed=1)) != sources(classroom([WARM_UP], 20, seed=2))


def test_a_larger_class_begins_with_the_smaller_one():
    assert list(classroom([WARM_UP], 20))[:11] == list(classroom([WARM_UP], 11))


def test_every_answer_of_the_bank_occurs():
    found = defaultdict(set)
    for one in classroom([WARM_UP], 400):
        for exercise in exercises(WARM_UP).keys() & named(one.notebook).keys():
            found[exercise].add(named(one.notebook)[exercise].source)
    items = bank("right", WARM_UP) + bank("wrong", WARM_UP)
    assert [item for item in items if item.source not in found[item.exercise]] == []


def test_every_student_hands_in_every_lesson_and_all_kinds_come_in_turn():
    handed_in = list(classroom([WARM_UP, LESSON], 2 * len(KINDS)))
    assert Counter(one.kind for one in handed_in) == dict.fromkeys(KINDS, 4)
    assert Counter(one.student for one in handed_in) == {f"student{number:04d}": 2 for number in range(1, 17)}


def test_what_is_handed_in_is_what_was_made(tmp_path):
    hand_in(tmp_path, classroom([WARM_UP], len(KINDS)))
    for one in classroom([WARM_UP], len(KINDS)):
        path = tmp_path / "autograder" / "submitted" / one.student / WARM_UP / f"{WARM_UP}.ipynb"
        assert nbformat.read(path, as_version=4) == one.notebook
        nbformat.validate(nbformat.read(path, as_version=4))


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_gets_what_it_deserves(kind, graded):
    solved = {
        all(verdict.points == verdict.max_points for verdict in verdicts)
        for _, verdicts in groupby(graded[kind], key=lambda verdict: verdict.exercise)
    }
    assert solved == SOLVED[kind]
    assert sum(verdict.max_points for verdict in graded[kind]) == TOTAL
    assert kind != "empty" or not any(verdict.points for verdict in graded[kind])


@pytest.mark.parametrize("seed", range(10))
def test_the_damage_is_there(seed):
    made = {one.kind: one.notebook for one in classroom([LESSON], len(KINDS), seed)}
    broken = [name for name in exercises(LESSON) if not parses(named(made["syntax_error"])[name].source)]
    assert len(broken) == 1
    (gone,) = count(read("notebooks", LESSON)) - count(made["deleted_answer"])
    assert gone in exercises(LESSON)
    gone = count(read("notebooks", LESSON)) - count(made["deleted_checks"])
    assert sorted(gone) in [sorted(checks) for checks in exercises(LESSON).values()]
    copied = count(made["copied_checks"]) - count(read("notebooks", LESSON))
    assert sorted(copied) in [sorted(checks) for checks in exercises(LESSON).values()]


def count(notebook) -> Counter:
    """Count the cells of each name."""
    return Counter(name_of(cell) for cell in notebook.cells if name_of(cell))


def parses(source: str) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True
