"""Grade notebooks with the real nbgrader in a temporary course: for `make check` and for the test suite.

with TrialCourse("00_start_here") as course:
    course.submit("ada", "work/00_start_here/00_start_here.ipynb")
    for verdict in course.grade("ada"):
        print(verdict.check, verdict.points, verdict.message)
"""

import shutil
import sqlite3
import tempfile
import warnings
from contextlib import closing
from pathlib import Path

import nbformat
from nbgrader.apps import NbGraderAPI
from traitlets.config import PyFileConfigLoader

from autograder.verdicts import Verdict, submissions

COURSE = Path(__file__).parent.parent


class NotGraded(Exception):
    """nbgrader could not grade a notebook: why, in words for its author."""


class TrialCourse:
    """A temporary course with one lesson and the settings of this one; it is deleted at the end of the `with` block."""

    def __init__(self, lesson: str):
        self.lesson = lesson

    def __enter__(self) -> "TrialCourse":
        self.root = Path(tempfile.mkdtemp(prefix="trial-"))
        try:
            self._generate()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_error) -> None:
        shutil.rmtree(self.root, ignore_errors=True)

    def _generate(self) -> None:
        """Release the lesson here: every path in nbgrader_config.py hangs on the folder in which that file stands."""
        shutil.copy(COURSE / "nbgrader_config.py", self.root)
        shutil.copytree(COURSE / "solutions" / self.lesson, self.root / "solutions" / self.lesson)
        (self.root / "autograder").mkdir()
        config = PyFileConfigLoader("nbgrader_config.py", path=str(self.root)).load_config()
        self._api = NbGraderAPI(config=config)
        make_gradebook(self.root / "autograder" / "gradebook.db")
        self._run(self._api.generate_assignment, self.lesson)

    def _run(self, action, *arguments) -> None:
        """Run one step of nbgrader without its chatter; raise NotGraded where it fails."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # SQLAlchemy's, about nbgrader's own code
            result = action(*arguments)
        if not result["success"]:
            raise NotGraded(reason(result.get("log", "") + result["error"]))

    def submit(self, student: str, notebook: nbformat.NotebookNode | str | Path) -> None:
        """Hand in a notebook, given as such or as the path of its file."""
        target = self.root / "autograder" / "submitted" / student / self.lesson / f"{self.lesson}.ipynb"
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(notebook, dict):
            nbformat.write(notebook, target)
        else:
            shutil.copy(notebook, target)

    def graded(self, student: str) -> Path:
        """Return the notebook of a student as it was executed to grade it."""
        return self.root / "autograder" / "autograded" / student / self.lesson / f"{self.lesson}.ipynb"

    def grade(self, student: str) -> list[Verdict]:
        """Autograde what the student handed in and return the verdict of every check, in the order of the lesson."""
        self._run(self._api.autograde, self.lesson, student)
        with warnings.catch_warnings(), self._api.gradebook as gradebook:
            warnings.simplefilter("ignore")
            graded = {submission.student: submission for submission in submissions(self.lesson, self.root, gradebook)}
        return list(graded[student].verdicts)


def make_gradebook(path: Path) -> None:
    """Make an empty gradebook, for which nbgrader starts a program for two seconds, to give it a number that only an upgrade would need."""
    with closing(sqlite3.connect(path)) as gradebook:
        gradebook.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")


def reason(log: str) -> str:
    """Say in words why nbgrader could not grade, from its log."""
    if "DeadKernelError" in log:
        return (
            "the kernel died while the notebook ran: the memory ran out, or a cell ended Python (exit(), os._exit). "
            "Run all cells in JupyterLab to see which one"
        )

    return f"nbgrader stopped:\n{log.strip()}"
