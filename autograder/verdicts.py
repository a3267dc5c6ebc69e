"""The verdicts on graded submissions: points from the gradebook, messages from the notebooks that were executed to grade them."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbgrader.api import (
    Assignment,
    Comment,
    Grade,
    Gradebook,
    GradeCell,
    SolutionCell,
    SubmittedAssignment,
    SubmittedNotebook,
)

STUBS = ("NotImplementedError", "'?'", "set()")  # what a check is given by an answer cell that is still as released
CELL_FILE = re.compile(r"\([^()\s]+, (?=line \d+\)$)")  # of a syntax error: no learner knows that number
NOT_RUN = "this cell did not run"  # how the message of a check begins that could not be tried
FOR_LEARNERS = ("WrongAnswer", "Refused", "AssertionError", "NotRun")  # errors whose message says all


@dataclass(frozen=True)
class Verdict:
    """What one check said about one exercise.

    points   : None where a person has to grade the answer
    message  : why points were lost; empty where none were
    answered : False where the answer cell is still as it was released
    """

    exercise: str
    check: str
    points: float | None
    max_points: float
    message: str
    answered: bool

    @property
    def untouched(self) -> bool:
        """Whether the check saw the answer cell as released; else there may be an answer in a cell of its own."""
        return not self.answered and any(stub in self.message for stub in STUBS)


@dataclass(frozen=True)
class Submission:
    """What a student handed in for a lesson, and what the checks said about it.

    verdicts : of every check, in the order of the lesson; empty where there is no notebook that was executed
    answers  : the code of each answer cell by the name of its exercise, as handed in
    """

    student: str
    verdicts: tuple[Verdict, ...]
    answers: dict[str, str]


def submissions(lesson: str, root: Path, gradebook: Gradebook) -> Iterator[Submission]:
    """Read every submission to a lesson that the gradebook of a course knows, sorted by student.

    The gradebook is asked twice in all, and each notebook is read once, so that a class of thousands takes seconds.
    """
    source = cells_of(root / "solutions" / lesson / f"{lesson}.ipynb")
    exercises = [name for name, cell in source.items() if cell.metadata.nbgrader.solution]
    untouched = untouched_answers(lesson, gradebook)
    for student, grades in sorted(grades_of(lesson, gradebook).items()):
        try:
            cells = cells_of(root / "autograder" / "autograded" / student / lesson / f"{lesson}.ipynb")
        except (OSError, ValueError):  # nbgrader leaves none where it failed
            yield Submission(student, (), {})
            continue
        verdicts = tuple(
            Verdict(
                exercise=(exercise := exercise_of(check, exercises)),
                check=check,
                points=grades[check][0],
                max_points=grades[check][1],
                message=message(cells.get(check, {}), cells.get(exercise)),
                answered=exercise not in untouched[student],
            )
            for check in source
            if check in grades
        )
        yield Submission(student, verdicts, {name: cells[name].source for name in exercises if name in cells})


# -- the gradebook ---------------------------------------------------------------------------------------------------------------


def grades_of(lesson: str, gradebook: Gradebook) -> dict[str, dict[str, tuple[float | None, float]]]:
    """Return points (None where a person has to give them) and maximum, by student and check."""
    rows = (
        gradebook.db.query(
            SubmittedAssignment.student_id, GradeCell.name, Grade.needs_manual_grade, Grade.score, GradeCell.max_score
        )
        .select_from(Grade)
        .join(Grade.cell.of_type(GradeCell))
        .join(Grade.notebook)
        .join(SubmittedNotebook.assignment)
        .join(SubmittedAssignment.assignment)
        .filter(Assignment.name == lesson)
    )
    grades = defaultdict(dict)
    for student, check, by_hand, points, max_points in rows:
        grades[student][check] = (None if by_hand else points, max_points)
    return grades


def untouched_answers(lesson: str, gradebook: Gradebook) -> dict[str, set[str]]:
    """Return the exercises whose answer cell is still as it was released, by student."""
    rows = (
        gradebook.db.query(SubmittedAssignment.student_id, SolutionCell.name)
        .select_from(Comment)
        .join(Comment.cell.of_type(SolutionCell))
        .join(Comment.notebook)
        .join(SubmittedNotebook.assignment)
        .join(SubmittedAssignment.assignment)
        .filter(Assignment.name == lesson, Comment.auto_comment == "No response.")
    )
    untouched = defaultdict(set)
    for student, exercise in rows:
        untouched[student].add(exercise)
    return untouched


# -- the notebooks ---------------------------------------------------------------------------------------------------------------


def cells_of(path: Path) -> dict[str, nbformat.NotebookNode]:
    """Return the cells of a notebook of ours that nbgrader knows, by name; it is not validated, which would take longest."""
    notebook = nbformat.v4.reads(path.read_text(encoding="utf-8"))
    return {cell.metadata.nbgrader.grade_id: cell for cell in notebook.cells if "nbgrader" in cell.metadata}


def exercise_of(check: str, exercises: list[str]) -> str:
    """Return the exercise that a check belongs to: the longest name that the name of the check begins with."""
    return max((name for name in exercises if check == name or check.startswith(f"{name}_")), key=len)


def error_of(cell: nbformat.NotebookNode) -> str:
    """Return the error that ended a cell, without its traceback; empty where it ended well."""
    for output in cell.get("outputs", []):
        if output.output_type == "error":
            if output.ename == "KeyboardInterrupt":
                return "it ran longer than the time limit and was stopped: is there a loop without an end?"
            # These are written for learners: the name of the class would only distract.
            ours = output.ename in FOR_LEARNERS and output.evalue
            return output.evalue if ours else f"{output.ename}: {CELL_FILE.sub('(', output.evalue)}"
    return ""


def message(check: nbformat.NotebookNode, answer: nbformat.NotebookNode | None) -> str:
    """Return why a check failed; where the answer cell itself is missing or fails, that comes first."""
    error = error_of(check)
    if error.startswith(NOT_RUN):
        return error
    if error and answer is None:
        return f"the answer cell of this exercise is missing\n{error}"
    if error and error_of(answer):
        return f"the answer cell itself stops with {error_of(answer)}\n{error}"
    return error
