"""Judge many answers to the exercises of a lesson in one process: its cells run once, and each answer is tried in a fork of it.

That is how a bank of hundreds of answers is judged in minutes. tests/test_bank.py grades some of them with nbgrader, too, and compares.
"""

import io
import os
import pickle
import signal
import traceback
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import partial

import matplotlib
from conftest import ROOT
from submissions import name_of, read

from autograder.verdicts import Verdict, exercise_of

SECONDS = 60  # for one answer and its checks
LESSON_SECONDS = 900  # for all of a lesson


def judge(lesson: str, answers: list[tuple[str, str]]) -> list[list[Verdict]]:
    """Return the verdicts on answers, each given as exercise and source, at the place where the lesson has its own answer."""
    return in_a_fork(lambda: judge_here(lesson, answers), LESSON_SECONDS, lesson)


def judge_here(lesson: str, answers: list[tuple[str, str]]) -> list[list[Verdict]]:
    """Run the cells of a lesson in this process; before each of its answers, try the given ones in forks."""
    matplotlib.use("agg")
    os.chdir(ROOT)
    cells = [cell for cell in read("solutions", lesson).cells if cell.cell_type == "code"]
    exercises = [name_of(cell) for cell in cells if name_of(cell) and cell.metadata.nbgrader.solution]
    names = {"__name__": "__main__"}
    verdicts: list[list[Verdict]] = [[] for _ in answers]
    for number, cell in enumerate(cells):
        if name_of(cell) in exercises:
            after = cells_after(number, cells, exercises)
            for place, (exercise, source) in enumerate(answers):
                if exercise == name_of(cell):
                    tried = partial(verdicts_on, exercise, source, after, names)
                    verdicts[place] = in_a_fork(tried, SECONDS, source)
        broken = run(cell.source, names)
        assert not broken, f"{broken} in {cell.source}"
    assert all(verdicts), "an answer to an exercise that is not in the lesson"
    return verdicts


def cells_after(number: int, cells: list, exercises: list[str]) -> list:
    """Return the checks of the answer cell with this number, and the plain cells between them, such as what is run before a score."""
    ends = [place for place, cell in enumerate(cells) if checked_by(cell, exercises) == name_of(cells[number])]
    between = range(number + 1, max(ends, default=number) + 1)
    return [cells[place] for place in between if place in ends or not name_of(cells[place])]


def checked_by(cell, exercises: list[str]) -> str | None:
    """Return the exercise that a cell checks; None where it checks none."""
    is_check = name_of(cell) and cell.metadata.nbgrader.grade and not cell.metadata.nbgrader.solution
    return exercise_of(name_of(cell), exercises) if is_check else None


def in_a_fork(work: Callable[[], object], seconds: int, what: str):
    """Return the result of work that a child of this process does, so that nothing else of it stays."""
    reader, writer = os.pipe()
    if not (child := os.fork()):
        try:
            os.close(reader)
            signal.alarm(seconds)  # ends the child
            with os.fdopen(writer, "wb") as pipe:
                pickle.dump(work(), pipe)
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(0)  # whatever happens: a child must not go on as a second copy of the tests
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        result = pipe.read()
    os.waitpid(child, 0)
    assert result, f"no verdict within {seconds} s, or Python ended: {what}"
    return pickle.loads(result)


def verdicts_on(exercise: str, source: str, after: list, names: dict) -> list[Verdict]:
    """Run an answer and the cells after it, its checks among them; the messages are those of autograder.verdicts."""
    broken = run(source, names)
    verdicts = []
    for cell in after:
        error = run(cell.source, names)
        if name_of(cell):
            message = f"the answer cell itself stops with {broken}\n{error}" if broken and error else error
            points = cell.metadata.nbgrader.points
            verdicts.append(Verdict(exercise, name_of(cell), 0 if error else points, points, message, True))
    return verdicts


def run(source: str, names: dict) -> str:
    """Run a cell in silence; return the error that ended it, empty where it ended well."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        try:
            exec(compile(source, "<cell>", "exec"), names)
        except AssertionError as error:  # such as WrongAnswer: written for learners
            return str(error)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    return ""
