"""A generated class: whole notebooks as learners hand them in, made of the answers of the bank.

The same seed gives the same class, and a larger class begins with the smaller one. For a rehearsal, hand one in to the course:

usage: python tests/classroom.py COURSE_FOLDER NUM_STUDENTS LESSON [LESSON …]
"""

import random
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import nbformat
from bank import bank, exercises
from nbformat import NotebookNode
from submissions import name_of, named, submission


class HandedIn(NamedTuple):
    """What one student handed in for one lesson; kind is a key of KINDS."""

    student: str
    lesson: str
    kind: str
    notebook: NotebookNode


def classroom(lessons: Iterable[str], num_students: int, seed: int = 0) -> Iterator[HandedIn]:
    """Yield what every student hands in for every lesson: all kinds in turn, with answers drawn from the bank."""
    for lesson in lessons:
        for number in range(num_students):
            kind = list(KINDS)[number % len(KINDS)]
            rng = random.Random(f"{seed} {lesson} {number}")
            yield HandedIn(f"student{number + 1:04d}", lesson, kind, KINDS[kind](lesson, rng))


def hand_in(course: Path, submissions: Iterable[HandedIn]) -> None:
    """Write the notebooks to where a course collects them."""
    for student, lesson, _, notebook in submissions:
        path = course / "autograder" / "submitted" / student / lesson / f"{lesson}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, path)


# -- the kinds of notebooks --------------------------------------------------------------------------------------------------------


def perfect(lesson: str, rng: random.Random) -> NotebookNode:
    """Every answer is right."""
    return submission(lesson, drawn("right", lesson, rng))


def partial(lesson: str, rng: random.Random) -> NotebookNode:
    """Some answers are right, the others are wrong or missing; there is a right one, and one that is not."""
    answers = drawn("right", lesson, rng)
    names = list(answers)
    rng.shuffle(names)
    wrong = drawn("wrong", lesson, rng)
    for name in names[rng.randrange(1, len(names)) :]:
        if rng.random() < 0.5:
            answers[name] = wrong[name]
        else:
            del answers[name]
    return submission(lesson, answers)


def wrong(lesson: str, rng: random.Random) -> NotebookNode:
    """Every answer is wrong."""
    return submission(lesson, drawn("wrong", lesson, rng))


def empty(lesson: str, rng: random.Random) -> NotebookNode:
    """The notebook is as it was released."""
    return submission(lesson, {})


def syntax_error(lesson: str, rng: random.Random) -> NotebookNode:
    """One answer does not parse, the others are right."""
    answers = drawn("right", lesson, rng)
    answers[rng.choice(list(answers))] += "\nprint("
    return submission(lesson, answers)


def deleted_answer(lesson: str, rng: random.Random) -> NotebookNode:
    """The cell of one answer is gone, the others are right."""
    notebook = perfect(lesson, rng)
    notebook.cells.remove(named(notebook)[rng.choice(list(exercises(lesson)))])
    return notebook


def deleted_checks(lesson: str, rng: random.Random) -> NotebookNode:
    """The checks of one exercise are gone; some answers are right."""
    notebook = partial(lesson, rng)
    checks = exercises(lesson)[rng.choice(list(exercises(lesson)))]
    notebook.cells = [cell for cell in notebook.cells if name_of(cell) not in checks]
    return notebook


def copied_checks(lesson: str, rng: random.Random) -> NotebookNode:
    """The checks of one exercise are there twice, the copies above the imports; every answer is right."""
    notebook = perfect(lesson, rng)
    checks = exercises(lesson)[rng.choice(list(exercises(lesson)))]
    copies = [nbformat.from_dict({**named(notebook)[check], "id": f"copy-{check}"[:64]}) for check in checks]
    notebook.cells = copies + notebook.cells
    return notebook


KINDS: dict[str, Callable[[str, random.Random], NotebookNode]] = {
    make.__name__: make
    for make in (perfect, partial, wrong, empty, syntax_error, deleted_answer, deleted_checks, copied_checks)
}


def drawn(kind: str, lesson: str, rng: random.Random) -> dict[str, str]:
    """Draw a right or wrong answer to each exercise of a lesson from the bank."""
    answers = bank(kind, lesson)
    return {name: rng.choice([item.source for item in answers if item.exercise == name]) for name in exercises(lesson)}


def main(course: str, num_students: str, *lessons: str) -> None:
    """Hand in a generated class and say how many notebooks of each kind it has."""
    handed_in = list(classroom(lessons, int(num_students)))
    hand_in(Path(course), handed_in)
    for kind in KINDS:
        print(f"{sum(one.kind == kind for one in handed_in):6d}  {kind}")


if __name__ == "__main__":
    main(*sys.argv[1:])
