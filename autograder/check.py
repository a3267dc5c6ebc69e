"""Grade your own copy of a lesson as a class would be graded, hidden checks included.

usage: python -m autograder.check LESSON [LESSON …]     (with make: make check LESSON=01_global_batch)

Prints the verdict on every exercise with its feedback. The exit status is 0 where everything is right, 1 where something is not, 2 where
there was nothing that could be graded.
"""

import itertools
import shutil
import sys
import textwrap
import warnings
from pathlib import Path

import nbformat

COURSE = Path(__file__).parent.parent
INDENT = " " * 8


class NothingToCheck(Exception):
    """There is no notebook to grade: why, and what to do."""


def released_lessons() -> list[str]:
    """Return the names of the lessons there are."""
    return sorted(path.stem for path in (COURSE / "notebooks").glob("[0-9]*/*.ipynb"))


def own_copy(lesson: str) -> Path:
    """Return the path of the learner's notebook; raise NothingToCheck where there is none or it cannot be read."""
    if lesson not in released_lessons():
        raise NothingToCheck(f"no lesson {lesson!r}; there are {', '.join(released_lessons())}")
    path = COURSE / "work" / lesson / f"{lesson}.ipynb"
    if not path.exists():
        raise NothingToCheck(f"{lesson}: you have no copy yet; make lab makes one (by hand: python tools/work.py)")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            nbformat.validate(nbformat.read(path, as_version=4))
    except Exception as error:  # not JSON, not a notebook, from the future: nbformat has no common class for these
        raise NothingToCheck(
            f"{lesson}: work/{lesson}/{lesson}.ipynb is not a readable notebook ({first_line(error)}). "
            f"Its last saved state may be in work/{lesson}/.ipynb_checkpoints; to start afresh, move it away and run make lab"
        ) from None
    return path


def first_line(error: Exception) -> str:
    """Return the first line of an error, cut to a readable length."""
    return textwrap.shorten(str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__, 100)


def verdicts(lesson: str, path: Path) -> list:
    """Grade the notebook in a temporary course; on a terminal, say so while it takes its seconds."""
    notice = f"{lesson}: running your notebook with all checks, visible and hidden …"
    if sys.stderr.isatty():
        print(notice, end="", file=sys.stderr, flush=True)
    try:
        from autograder.trial import NotGraded, TrialCourse  # takes two seconds: not before there is something to grade

        with TrialCourse(lesson) as course:
            course.submit("you", path)
            return course.grade("you")
    except NotGraded as error:
        raise NothingToCheck(f"{lesson}: {error}") from None
    finally:
        if sys.stderr.isatty():
            print("\r" + " " * len(notice) + "\r", end="", file=sys.stderr, flush=True)


def report(lesson: str, results: list) -> str:
    """Return the verdict on one lesson in words: every exercise, every check, the feedback, the total and what to do next."""
    lines = [lesson, ""]
    for exercise, checks in itertools.groupby(results, key=lambda verdict: verdict.exercise):
        lines += exercise_lines(exercise, list(checks))
    by_hand = sum(verdict.max_points for verdict in results if verdict.points is None)
    given = sum(verdict.points or 0 for verdict in results)
    total = sum(verdict.max_points for verdict in results) - by_hand
    more = f"; {by_hand:g} more are given by a person" if by_hand else ""
    lines += ["", f"  {given:g} of {total:g} points{more}", f"  {next_step(lesson, given == total)}", ""]
    return "\n".join(lines)


def exercise_lines(exercise: str, checks: list) -> list[str]:
    """Return the lines about one exercise."""
    given, total = sum(verdict.points or 0 for verdict in checks), sum(verdict.max_points for verdict in checks)
    heading = f"  {exercise:40}{given:g}/{total:g}"
    if all(verdict.untouched for verdict in checks):
        return [f"{heading}   not answered yet"]
    lines = [heading]
    for verdict in checks:
        if verdict.points is None:
            lines.append(f"    ?   {verdict.check}: a person grades this")
        else:
            right = verdict.points == verdict.max_points
            lines.append(f"    {'ok' if right else 'NO'}  {verdict.check:36}{verdict.points:g}/{verdict.max_points:g}")
            lines += [] if right else feedback_lines(verdict.message or "points were lost without an error")
    return lines


def feedback_lines(message: str) -> list[str]:
    """Return a message of a check, indented, and folded under its own text (which begins in column 16)."""
    width = max(60, shutil.get_terminal_size().columns)
    return [
        part
        for line in message.splitlines()
        for part in textwrap.wrap(line, width, initial_indent=INDENT, subsequent_indent=INDENT + " " * 16) or [""]
    ]


def next_step(lesson: str, all_right: bool) -> str:
    """Say what to do after the verdict."""
    if all_right:
        return "Everything is right."
    return f"Next: mend what is not right yet in work/{lesson} (each exercise has hints), save, and check again."


def main(lessons: list[str]) -> int:
    """Check the lessons one after the other and return the exit status."""
    if not lessons:
        print(f"say which lesson, such as LESSON={released_lessons()[0]}; there are {', '.join(released_lessons())}")
        return 2
    status = 0
    for lesson in lessons:
        try:
            results = verdicts(lesson, own_copy(lesson))
        except NothingToCheck as error:
            print(error)
            status = 2
        else:
            print(report(lesson, results))
            all_right = all(verdict.points in (None, verdict.max_points) for verdict in results)
            status = max(status, 0 if all_right else 1)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
