"""The bank autograder/answers/ as Python sees it: answers to the exercises of a lesson, right ones and wrong ones.

autograder/answers/<lesson>/<exercise>/right_<style>.py, wrong_<misconception>.py: the code of one answer cell. A wrong one begins with

    # fails: <check>, <check>      the checks that it must lose
    # says: <text>                 what one of them must say; any number of lines
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from conftest import ROOT
from submissions import named, read

from autograder.verdicts import exercise_of

BANK = ROOT / "autograder" / "answers"
HEADER = re.compile(r"^# (fails|says): (.+)$", re.M)


@dataclass(frozen=True)
class Answer:
    """One answer to one exercise; fails and says are what its header promises."""

    lesson: str
    exercise: str
    name: str
    source: str
    fails: tuple[str, ...] = ()
    says: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.lesson}/{self.exercise}/{self.name}"


@cache
def exercises(lesson: str) -> dict[str, list[str]]:
    """Return the exercises of a lesson that a machine grades, with the names of their checks."""
    cells = named(read("solutions", lesson))
    answers = [name for name, cell in cells.items() if cell.metadata.nbgrader.solution and cell.cell_type == "code"]
    checks = [
        name for name, cell in cells.items() if cell.metadata.nbgrader.grade and not cell.metadata.nbgrader.solution
    ]
    return {name: [check for check in checks if exercise_of(check, answers) == name] for name in answers}


def answer(path: Path) -> Answer:
    """Read one file of the bank."""
    source = path.read_text(encoding="utf-8")
    header = HEADER.findall(source)
    fails = (check.strip() for key, text in header if key == "fails" for check in text.split(","))
    says = (text for key, text in header if key == "says")
    return Answer(*path.parts[-3:-1], path.stem, source, tuple(fails), tuple(says))


def bank(kind: str, lesson: str = "*") -> list[Answer]:
    """Return the answers of one kind, right or wrong."""
    return [answer(path) for path in sorted(BANK.glob(f"{lesson}/*/{kind}_*.py"))]
