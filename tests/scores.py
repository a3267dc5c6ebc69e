"""What the gradebook of a course holds, cell by cell; as a program: whether our grader gives a generated class what stock nbgrader gives it.

usage: python tests/scores.py FOLDER NUM_STUDENTS LESSON [LESSON …]

Grades the same class twice, in FOLDER/ours with `python -m autograder.grade` and in FOLDER/stock with nbgrader's own defaults, of which only the
paths are changed, and prints how many scores and comments were compared and every one that differs. Left out, and counted: submissions that stock
cannot grade; checks that a student deleted, which stock leaves to a person; and checks that stock gives nothing since they wrote to stderr.
"""

import shutil
import subprocess
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from classroom import HandedIn, classroom, hand_in
from conftest import ROOT
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from sqlalchemy.exc import SAWarning
from traitlets.config import Config, PyFileConfigLoader

from autograder.trial import make_gradebook
from autograder.verdicts import cells_of


class Score(NamedTuple):
    """What the gradebook says about a check (by_hand: whether a person has to give the points) or, as a comment, about an answer."""

    points: float | None = None
    by_hand: bool = False
    comment: str | None = None


def scores(course: Path, lesson: str) -> dict[str, dict[str, Score]]:
    """Return what the gradebook of a course says about a lesson, by student and cell; what people wrote is left out."""
    with Gradebook(f"sqlite:///{course}/autograder/gradebook.db") as gradebook:
        return {
            submission.student_id: {
                **{
                    f"{each.name} comment": Score(comment=each.auto_comment)
                    for each in submission.notebooks[0].comments
                },
                **{
                    each.name: Score(each.auto_score, each.needs_manual_grade)
                    for each in submission.notebooks[0].grades
                },
            }
            for submission in gradebook.assignment_submissions(lesson)
        }


def make_course(folder: Path, lessons: list[str], handed_in: list[HandedIn]) -> Path:
    """Make a course with these submissions and return its folder."""
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    for lesson in lessons:
        shutil.copytree(ROOT / "solutions" / lesson, folder / "solutions" / lesson)
    (folder / "autograder").mkdir()
    make_gradebook(folder / "autograder" / "gradebook.db")
    hand_in(folder, handed_in)
    return folder


# -- beside stock nbgrader -------------------------------------------------------------------------------------------------------


def stock_api(course: Path) -> NbGraderAPI:
    """Return nbgrader for a course with its own defaults, apart from the paths."""
    ours = PyFileConfigLoader("nbgrader_config.py", path=str(course)).load_config()
    return NbGraderAPI(config=Config(CourseDirectory=ours.CourseDirectory))


def grade_by_stock(course: Path, lesson: str, students: list[str]) -> dict[str, str]:
    """Release with our settings, so that the release is the same; grade with nbgrader's. Return those that it cannot grade, and its last words."""
    NbGraderAPI(config=PyFileConfigLoader("nbgrader_config.py", path=str(course)).load_config()).generate_assignment(
        lesson
    )
    api, failed = stock_api(course), {}
    for student in students:
        outcome = api.autograde(lesson, student)
        if not outcome["success"]:
            failed[student] = (outcome.get("log", "").strip().splitlines() or [outcome["error"]])[-1]
    return failed


def excuse(course: Path, one: HandedIn, check: str) -> str:
    """Return why stock may score a check otherwise than we do; empty where it may not."""
    graded = cells_of(course / "autograder" / "autograded" / one.student / one.lesson / f"{one.lesson}.ipynb")
    if check not in graded:
        return "deleted checks"
    outputs = graded[check].outputs
    return "stderr" if any(output.get("name") == "stderr" for output in outputs) else ""


def compare(stock: Path, ours: Path, one: HandedIn) -> Counter:
    """Compare what a submission was given, print what differs, and return the counts."""
    theirs, mine = (scores(course, one.lesson)[one.student] for course in (stock, ours))
    count = Counter({"submissions": 1})
    for cell in theirs.keys() | mine.keys():
        same = theirs.get(cell) == mine.get(cell)
        why = "" if same else excuse(stock, one, cell)
        count["equal" if same else why or "DIFFERENT"] += 1
        if not same:
            print(
                f"{one.lesson} {one.student} {one.kind} {cell}: stock {theirs.get(cell)}, ours {mine.get(cell)} {why}"
            )
    return count


def main(folder: str, num_students: str, *lessons: str) -> None:
    """Grade a class in both ways, lesson by lesson, and print what came of it."""
    warnings.simplefilter("ignore", SAWarning)
    handed_in = list(classroom(lessons, int(num_students)))
    ours, stock = (make_course(Path(folder).resolve() / name, lessons, handed_in) for name in ("ours", "stock"))
    total = Counter()
    for lesson in lessons:
        subprocess.run(
            [sys.executable, "-m", "autograder.grade", lesson], cwd=ours, check=True, stderr=subprocess.DEVNULL
        )
        mine = [one for one in handed_in if one.lesson == lesson]
        failed = grade_by_stock(stock, lesson, [one.student for one in mine])
        for one in mine:
            if one.student in failed:
                print(f"{lesson} {one.student} {one.kind}: stock cannot grade it: {failed[one.student]}")
                total["not graded by stock"] += 1
            else:
                total += compare(stock, ours, one)
        print(lesson, dict(total), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
