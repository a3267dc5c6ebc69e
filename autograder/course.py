"""nbgrader's folders and gradebook for one lesson: what `nbgrader autograde` does, apart from running the notebooks.

`sanitised` comes before a submission runs, `record` after. One process calls them, so the gradebook has one writer.
"""

import hashlib
import shutil
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime
from html import escape
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell
from nbgrader.api import SubmittedNotebook
from nbgrader.apps import NbGraderAPI
from nbgrader.converters import Autograde
from nbgrader.utils import compute_checksum, determine_grade, parse_utc
from sqlalchemy.exc import SAWarning
from traitlets.config import PyFileConfigLoader
from traitlets.utils.importstring import import_item

from autograder import intake
from autograder.preprocessors import released
from autograder.trial import reason

CONFIG = "nbgrader_config.py"
DONE_HERE = {"nbgrader.preprocessors.Execute", "nbgrader.preprocessors.SaveAutoGrades"}


class NoCourse(Exception):
    """There is no course here, or nbgrader cannot release the lesson: what to do."""


class Course:
    """A lesson of the course in whose folder nbgrader_config.py stands."""

    def __init__(self, root: Path, lesson: str):
        """Release the lesson, so that the gradebook knows its checks; raise NoCourse where that fails."""
        if not (root / CONFIG).exists():
            raise NoCourse(f"no {CONFIG} in {root}: run this in the folder of the course")
        self.root, self.lesson = root, lesson
        self.source = root / "solutions" / lesson / f"{lesson}.ipynb"
        if not self.source.exists():
            there = ", ".join(sorted(path.stem for path in root.glob("solutions/*/*.ipynb")))
            raise NoCourse(f"no lesson {lesson!r}; there are {there}")
        warnings.simplefilter("ignore", SAWarning)  # about nbgrader's own code
        self.api = NbGraderAPI(config=PyFileConfigLoader(CONFIG, path=str(root)).load_config())
        outcome = self.api.generate_assignment(lesson)
        if not outcome["success"]:
            raise NoCourse(f"nbgrader cannot release {lesson}:\n{outcome.get('log', '')}{outcome['error']}")
        self.cell_seconds = self.api.config.Execute.timeout
        self.steps = Autograde(coursedir=self.api.coursedir, parent=self.api)
        self.sanitising = self._made(self.steps.sanitize_preprocessors)
        self.recording = self._made(step for step in self.steps.autograde_preprocessors if step not in DONE_HERE)
        self.release = released(self.api.coursedir.db_url, lesson, lesson)

    def _made(self, names: Iterable[str]) -> list[Callable]:
        """Make preprocessors of nbgrader's pipeline with the settings of the course."""
        return [import_item(name)(parent=self.steps) for name in names]

    @property
    def version(self) -> str:
        """Return a hash of what submissions are graded by."""
        return hashlib.sha256(self.source.read_bytes()).hexdigest()

    def folder(self, step: str, student: str = "") -> Path:
        """Return the folder of a student in `submitted`, `autograded` or `feedback`; without a student, of all."""
        return self.root / "autograder" / step / student / (self.lesson if student else "")

    def graded(self, student: str) -> Path:
        """Return the path of a graded notebook."""
        return self.folder("autograded", student) / f"{self.lesson}.ipynb"

    def through(self, steps: list[Callable], notebook: NotebookNode, student: str) -> NotebookNode:
        """Send a notebook through some preprocessors."""
        about = {"student": student, "assignment": self.lesson, "notebook": self.lesson, "release": self.release}
        resources = {"nbgrader": {**about, "db_url": self.api.coursedir.db_url}}
        for step in steps:
            notebook, resources = step(notebook, resources)
        return notebook

    def sanitised(self, notebook: Path, student: str) -> NotebookNode:
        """Return a submitted notebook with the checks of the release in the place of its own."""
        return self.through(self.sanitising, intake.read_notebook(notebook), student)

    def unanswered(self) -> NotebookNode:
        """Return the released notebook with the checks as they are graded."""
        return self.sanitised(self.root / "notebooks" / self.lesson / f"{self.lesson}.ipynb", "")

    def record(
        self, student: str, notebook: NotebookNode, files: dict[str, bytes], notice: str, withhold: bool
    ) -> None:
        """Take a notebook that has run into the gradebook and the folder of graded ones.

        files    : what belongs beside it
        notice   : what the learner and the instructor should know about its grading, on top of it; empty: nothing; any text
        withhold : whether a person must give the points that the checks gave
        """
        timestamp = time_of(files)
        with self.api.gradebook as gradebook:
            gradebook.update_or_create_student(student)
            more = {"timestamp": timestamp} if timestamp else {}
            submission = gradebook.update_or_create_submission(self.lesson, student, **more)
            save_scores(submission.notebooks[0], notebook, withhold)
            gradebook.db.commit()
        notebook = self.through(self.recording, notebook, student)
        if notice:
            notebook.cells.insert(0, new_markdown_cell(f"**About the grading of this notebook:** {escape(notice)}"))
        self.write(student, notebook, files)

    def autograde(self, student: str) -> str:
        """Run and record a submission with nbgrader's own means; return why that failed, empty where it did not."""
        self.clear(student)
        outcome = self.api.autograde(self.lesson, student)
        return "" if outcome["success"] else reason(outcome.get("log", "") + outcome["error"])

    def clear(self, student: str) -> None:
        """Remove an earlier graded notebook and the page of feedback on it."""
        for step in ("autograded", "feedback"):
            with suppress(FileNotFoundError):
                shutil.rmtree(self.folder(step, student))

    def write(self, student: str, notebook: NotebookNode, files: dict[str, bytes]) -> None:
        """Write a graded notebook and what belongs beside it, read-only as nbgrader does, in the place of an earlier one."""
        self.clear(student)
        target = self.folder("autograded", student)
        target.mkdir(parents=True)
        for name, content in files.items():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_bytes(content)
        nbformat.write(notebook, self.graded(student))
        self.steps.set_permissions(self.lesson, student)


def time_of(files: dict[str, bytes]) -> datetime | None:
    """Return when a submission was handed in, where nbgrader has noted it beside the notebook; a learner may have written anything there."""
    try:
        return parse_utc(files["timestamp.txt"].decode().strip())
    except (KeyError, ValueError, OverflowError):
        return None


def save_scores(submitted: SubmittedNotebook, notebook: NotebookNode, withhold: bool) -> None:
    """Write scores and comments as nbgrader's SaveAutoGrades does, which asks and commits for each cell."""
    cells = {cell.metadata.nbgrader.grade_id: cell for cell in notebook.cells if "nbgrader" in cell.metadata}
    for grade in submitted.grades:
        score = determine_grade(cells[grade.name])[0] if grade.name in cells else 0
        grade.auto_score = None if withhold and score else score
        grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None
    for comment in submitted.comments:
        cell = cells.get(comment.name)
        untouched = cell is not None and cell.metadata.nbgrader.checksum == compute_checksum(cell)
        comment.auto_comment = "No response." if untouched else None
