"""Build the notebooks: lessons/NN_*.py → solutions/ (instructor) → notebooks/ (learner), and other lessons/*.py → notebooks/ as they are.

usage: python tools/build.py

Both folders are deleted and made again; the same lessons always give the same bytes. The build refuses, with one line that says what
to mend, a lesson whose markers do not fit together, and a generated folder that holds edits which the build did not make.
"""

import ast
import hashlib
import re
import shutil
import subprocess
import symtable
import sys
from pathlib import Path

import jupytext
import nbformat

from autograder.preprocessors import is_untouched, stamp

LESSONS, SOLUTIONS, NOTEBOOKS = Path("lessons"), Path("solutions"), Path("notebooks")
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
ROLES = {  # marker in a lesson → nbgrader flags
    "solution": {"grade": False, "solution": True, "locked": False},  # code, graded by its tests
    "tests": {"grade": True, "solution": False, "locked": True},  # checks worth points
    "answer": {"grade": True, "solution": True, "locked": False},  # prose, graded by a person
}
LAYOUT = {"cell_marker", "lines_to_next_cell"}  # what jupytext notes about blank lines and quotes
REGIONS = {"SOLUTION": ("solution", "answer"), "HIDDEN TESTS": ("tests",)}  # region → cells that may hold it
EXERCISE = re.compile(r"^## Exercise [\d.]+: `(\w+)` \((\d+) points?\b", re.M)
ANY_MARK = re.compile(r"^.*\b(?:begin|end)\s+(?:solution|hidden\s+tests)\b", re.M | re.I)
EXACT_MARK = re.compile(r"\s*### (BEGIN|END) (SOLUTION|HIDDEN TESTS)$")
NAME = re.compile(r"[a-z][a-z0-9_]*")
TITLE = re.compile(r"^# (.+)", re.M)
TOTAL = re.compile(r"^\*\*Points\*\* (\d+)", re.M)


class LessonError(Exception):
    """A lesson cannot be built: which lesson, which cell, what to mend."""


def role_and_name(cell) -> tuple[str | None, str | None]:
    """Return the nbgrader role of a cell and its name, or (None, None) for a plain cell."""
    return next(((role, cell.metadata[role]) for role in ROLES if role in cell.metadata), (None, None))


def check_cell(cell, where: str) -> None:
    """Refuse unknown markers, missing points and unbalanced or misplaced regions in one cell."""
    role, name = role_and_name(cell)
    unknown = set(cell.metadata) - {*ROLES, "points"} - LAYOUT
    if unknown:
        raise LessonError(f"{where}: unknown marker {sorted(unknown)[0]!r}; use one of {', '.join(ROLES)}, points")
    if name is not None and not NAME.fullmatch(str(name)):
        raise LessonError(f"{where}: a name holds small letters, digits and _ only, and begins with a letter")
    for mark in ANY_MARK.findall(cell.source) if cell.cell_type == "code" else []:
        if not EXACT_MARK.fullmatch(mark):
            raise LessonError(f"{where}: {mark.strip()!r} looks like a mark but is none; write ### BEGIN … in capitals")
    if cell.cell_type == "code" and role is not None:
        check_syntax(cell.source, where)
    if role in ("tests", "answer") and type(cell.metadata.get("points")) is not int:
        raise LessonError(f"{where}: add points=…, a whole number")
    if role not in ("tests", "answer") and "points" in cell.metadata:
        raise LessonError(f"{where}: points belong to a tests or answer cell; move them there")
    for region, roles in REGIONS.items():
        marks = re.findall(rf"^\s*### (BEGIN|END) {region}\b", cell.source, re.M)
        if marks != ["BEGIN", "END"] * (len(marks) // 2):
            raise LessonError(f"{where}: unbalanced {region} block; each BEGIN {region} needs its END {region}")
        if marks and role not in roles:
            raise LessonError(f"{where}: a {region} block may stand only in a cell marked {' or '.join(roles)}")
    if role == "solution" and "### BEGIN SOLUTION" not in cell.source:
        raise LessonError(f"{where}: nothing to hide; put the answer between ### BEGIN SOLUTION and ### END SOLUTION")
    if role == "tests":
        check_tests(cell.source, where)


def check_syntax(source: str, where: str) -> None:
    """Refuse answers and checks that are not Python."""
    try:
        ast.parse(source)
    except SyntaxError as error:
        raise LessonError(f"{where}: not valid Python ({error.msg}, line {error.lineno})") from None


def check_tests(source: str, where: str) -> None:
    """Refuse checks that end in a value, and names that could overwrite something of the learner's."""
    statements = ast.parse(source).body
    if not statements:
        raise LessonError(f"{where}: holds no check; write one, or remove the cell")
    last = statements[-1]
    if isinstance(last, ast.Expr) and not isinstance(last.value, ast.Call):
        raise LessonError(f"{where}: ends in a value, which nbgrader reads as partial credit; end it in a check")
    symbols = symtable.symtable(source, where, "exec").get_symbols()
    for name in sorted(symbol.get_name() for symbol in symbols if symbol.is_assigned() or symbol.is_imported()):
        if not name.startswith("_"):
            raise LessonError(f"{where}: {name!r} could overwrite a name of the learner's; call it _{name}")


def check_exercises(cells, lesson: str) -> None:
    """Refuse duplicate names, tests without their solution, solutions without tests, and points that do not add up."""
    names: set[str] = set()
    promised: dict[str, int] = {}  # exercise → points in its heading
    given: dict[str, int] = {}  # exercise → points of its cells
    exercise = None
    for cell in cells:
        role, name = role_and_name(cell)
        where = f"{lesson}, cell {name!r}"
        if name in names:
            raise LessonError(f"{where}: two cells have this name; rename one")
        names |= {name} - {None}
        if cell.cell_type == "markdown":
            promised |= {title: int(points) for title, points in EXERCISE.findall(cell.source)}
        if role in ("solution", "answer"):
            exercise = name
            given[exercise] = cell.metadata.get("points", 0)
        elif role == "tests":
            if exercise is None or not name.startswith(f"{exercise}_"):
                raise LessonError(
                    f"{where}: tests without a solution; they follow a solution cell and begin with its name"
                )
            given[exercise] += cell.metadata["points"]
    for exercise in promised | given:
        if promised.get(exercise) != given.get(exercise):
            raise LessonError(
                f"{lesson}, exercise {exercise!r}: the heading promises {promised.get(exercise, 'no')} points, "
                f"the cells give {given.get(exercise, 'none')}; make them equal"
            )
    if given:
        total = TOTAL.search(cells[0].source)
        if total is None or int(total[1]) != sum(given.values()):
            raise LessonError(
                f"{lesson}, first cell: write **Points** {sum(given.values())}, the sum over its exercises"
            )


def metadata(cell) -> dict:
    """Translate markers such as tests="noise_scale_by_hand" points=1 into the metadata of nbgrader and JupyterLab."""
    role, name = role_and_name(cell)
    if role is None:
        return {}
    points = {"points": cell.metadata["points"]} if ROLES[role]["grade"] else {}
    nbgrader = {"nbgrader": {"schema_version": 3, "grade_id": name, **ROLES[role], **points}}
    # Run All goes on past an unanswered exercise; nbgrader still scores the cell 0.
    return {"tags": ["raises-exception"], **nbgrader} if cell.cell_type == "code" else nbgrader


def instructor_notebook(lesson: Path) -> nbformat.NotebookNode:
    """Read one lesson and return its instructor notebook; cell ids are names, or a hash of the text where there is no name."""
    try:
        notebook = jupytext.reads(lesson.read_text(encoding="utf-8"), fmt="py:percent")
    except UnicodeDecodeError as error:
        raise LessonError(f"{lesson.as_posix()}: not UTF-8 at byte {error.start}; save it as UTF-8") from None
    for number, cell in enumerate(notebook.cells, start=1):
        check_cell(cell, f"{lesson.as_posix()}, cell {role_and_name(cell)[1] or number!r}")
    check_exercises(notebook.cells, lesson.as_posix())
    notebook.metadata = nbformat.from_dict({"kernelspec": KERNEL, "largebatch": {"lesson": lesson.as_posix()}})
    used: set[str] = set()
    for cell in notebook.cells:
        text = cell.source
        cell.id = role_and_name(cell)[1] or hashlib.sha256(text.encode()).hexdigest()[:8]
        while cell.id in used:  # the same text twice in one lesson
            text += "\n"
            cell.id = hashlib.sha256(text.encode()).hexdigest()[:8]
        used.add(cell.id)
        cell.metadata = nbformat.from_dict(metadata(cell))
    return stamp(notebook)


def is_numbered(name: str) -> bool:
    """Tell whether a file is a lesson; what has no number is a page without exercises, and no assignment of nbgrader's."""
    return name[0].isdigit()


def as_page(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Give a page the title that a browser shows; refuse one with exercises: nobody would grade them, and answers would be released."""
    for cell in notebook.cells:
        if "nbgrader" in cell.metadata:
            where = f"{notebook.metadata.largebatch.lesson}, cell {cell.id!r}"
            raise LessonError(f"{where}: a page without a number holds no exercises; number it, or remove the marker")
    title = TITLE.search(notebook.cells[0].source)
    if title is None:
        raise LessonError(f"{notebook.metadata.largebatch.lesson}, first cell: begin it with a title, # …")
    notebook.metadata["title"] = title[1]
    return stamp(notebook)


def refuse_foreign_edits() -> None:
    """Refuse to delete a generated notebook that somebody has changed since the build wrote it: it may hold answers."""
    for path in sorted(path for folder in (SOLUTIONS, NOTEBOOKS) for path in folder.rglob("*") if path.is_file()):
        if ".ipynb_checkpoints" in path.parts:
            continue
        if path.name != f"{path.parent.name}.ipynb" or path.parent.parent not in (SOLUTIONS, NOTEBOOKS):
            raise LessonError(
                f"{path}: not made by the build, which would delete it; move it elsewhere, such as to work/"
            )
        if not is_untouched(path):
            raise LessonError(
                f"{path}: changed since it was built. Move your answers to work/ or your change to lessons/, "
                f"then discard it: git checkout {path.parent}"
            )


def build() -> list[str]:
    """Build every lesson and every page, and return their names."""
    notebooks = {path.stem: instructor_notebook(path) for path in sorted(LESSONS.glob("*.py"))}
    pages = {name: as_page(notebook) for name, notebook in notebooks.items() if not is_numbered(name)}
    refuse_foreign_edits()
    for folder in (SOLUTIONS, NOTEBOOKS):
        shutil.rmtree(folder, ignore_errors=True)
    for name, notebook in notebooks.items():
        folder = (NOTEBOOKS if name in pages else SOLUTIONS) / name
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / f"{name}.ipynb")
    nbgrader = [sys.executable, "-m", "nbgrader", "generate_assignment", "*", "--force", "--no-db", "--log-level=ERROR"]
    if subprocess.run(nbgrader).returncode:
        raise LessonError("nbgrader could not release the lessons; it says why above. git checkout solutions notebooks")
    return list(notebooks)


if __name__ == "__main__":
    try:
        print("built", ", ".join(build()))
    except LessonError as error:
        sys.exit(f"build refused: {error}")
