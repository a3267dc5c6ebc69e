"""What is taken in for grading: look through autograder/submitted/<student>/<lesson>/ before anything is graded.

accepted, refused = submissions(Path("autograder/submitted"), "05_the_knee")

Everything in these folders was made by others: links may lead out of the course, a pipe would hang whoever reads it, sizes and names may
be absurd. What is accepted can be read, hashed and handed to nbgrader; what is refused comes with a reason for the student.
"""

import hashlib
import json
import os
import re
import stat
import textwrap
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import nbformat

COURSE = Path(__file__).parent.parent
MB = 1_000_000  # bytes
NOTEBOOK_BYTES, ALL_BYTES = 20 * MB, 100 * MB
ENTRIES = 1_000  # files and folders
NOTEBOOKS = 10  # to choose from where none has the name of the lesson; each may take a second to read
NAME_BYTES = 200  # of a student's name, and of a file's path inside the submission
BRACKETS = 1_000_000  # in a notebook with its outputs; 20 MB of {} would take gigabytes of memory
VALUES = 20_000  # in a notebook without its outputs, lines of text included; what validates notebooks can be slow
DEPTH = 50  # lists and dictionaries in one another; what copies notebooks calls itself several times for each

# How to mend a notebook.
SAVE = "open it in JupyterLab, save it there and hand in again"
CLEAR = "choose Edit, Clear Outputs of All Cells, in JupyterLab, save and hand in again"
FRESH = "copy your answers into a fresh copy of the lesson and hand that in"

IGNORED = {".ipynb_checkpoints", "__pycache__", "feedback"}  # folders that nbgrader does not copy either
# Control characters, line and paragraph separators, what turns the direction of writing, and bytes that are not UTF-8 (as Python
# reads them from file names): such names garble lists and logs, or pretend to be others.
UNREADABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True)
class Submission:
    """One student's work on a lesson, fit for grading.

    notebook : the file, which may have another name than its lesson
    sha256   : of all names and contents in the folder, apart from what JupyterLab and Python leave there
    """

    student: str
    folder: Path
    notebook: Path
    sha256: str


@dataclass(frozen=True)
class Refusal:
    """One student's work that is not graded: what is wrong, where, how to mend it. Both texts can be shown as they are.

    is_name : whether `student` is the name of the folder; else that is no name that nbgrader could take
    """

    student: str
    reason: str
    is_name: bool


class Refused(Exception):
    """A submission cannot be taken in: what, where, how to mend."""


def submissions(submitted: Path, lesson: str) -> tuple[list[Submission], list[Refusal]]:
    """Look at what everybody handed in for a lesson; return what can be graded and what cannot, in the order of the students."""
    accepted, refused = [], []
    for student in sorted(path.name for path in submitted.iterdir()) if submitted.is_dir() else []:
        try:
            if has_submitted(submitted / student, lesson):
                accepted.append(submission(submitted / student, lesson))
        except Refused as error:
            refused.append(Refusal(shown(student), str(error), is_name(student)))
        except OSError as error:
            refused.append(
                Refusal(shown(student), f"a file cannot be read ({error.strerror}); hand in again", is_name(student))
            )
    return accepted, refused


def supplements(folder: Path) -> dict[str, bytes]:
    """Return what lies beside a notebook, such as a helper module: names relative to the folder → contents."""
    return {name: read(path, ALL_BYTES) for name, path in files(folder).items() if not is_notebook(path)}


# -- one submission --------------------------------------------------------------------------------------------------------------


def has_submitted(student: Path, lesson: str) -> bool:
    """Tell whether there is anything of a student for the lesson; a link counts, since what is behind it is not looked at."""
    mode = student.lstat().st_mode
    return stat.S_ISLNK(mode) or (stat.S_ISDIR(mode) and os.path.lexists(student / lesson))


def submission(student: Path, lesson: str) -> Submission:
    """Return a student's submission; raise Refused where it cannot be graded."""
    check_student(student.name)
    folder = student / lesson
    for path in (student, folder):
        if not stat.S_ISDIR(path.lstat().st_mode):
            raise Refused(f"{shown(path.name)} is {kind(path)}, not a folder; put the folder itself in its place")
    found = files(folder)
    return Submission(student.name, folder, notebook_of(found, lesson), sha256(found))


def check_student(name: str) -> None:
    """Refuse names that nbgrader strips, takes for a pattern that stands for other students too, or for an option."""
    check_name(name)
    if name[0] in "-." or name != name.strip() or set("*?[") & set(name):
        raise Refused(
            f"the student's folder has the name {name!r}; rename it so that it neither begins with a dash or a dot, "
            "nor begins or ends with a blank, nor holds * ? ["
        )


def is_name(student: str) -> bool:
    """Tell whether nbgrader can take a student of this name."""
    try:
        check_student(student)
    except Refused:
        return False
    return True


def check_name(name: str) -> None:
    """Refuse a name, or a path inside a submission, that is too long or cannot be read."""
    if UNREADABLE.search(name):
        raise Refused(f"the name {shown(name)} holds characters that cannot be read (written here as \\…); rename it")
    if len(name.encode()) > NAME_BYTES:
        raise Refused(f"the name {name[:40]}… is longer than {NAME_BYTES} bytes, folders included; shorten it")


def shown(name: str) -> str:
    """Return a name with everything that could garble a page or a terminal written out."""
    return UNREADABLE.sub(lambda found: ascii(found[0])[1:-1], name)


def kind(path: Path) -> str:
    """Say in words what a path that is no folder is."""
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return "a symbolic link"
    return "a file" if stat.S_ISREG(mode) else "a pipe, socket or device"


# -- its files -------------------------------------------------------------------------------------------------------------------


def files(folder: Path) -> dict[str, Path]:
    """Return the files of a submission, by name relative to it; raise Refused where it holds anything but sane files and folders."""
    found: dict[str, Path] = {}
    size = 0
    for count, path in enumerate(walk(folder), start=1):
        name = path.relative_to(folder).as_posix()
        check_name(name)
        if count > ENTRIES:
            raise Refused(
                f"the submission holds more than {ENTRIES:,} files and folders; hand in what the notebook needs"
            )
        status = path.lstat()
        if stat.S_ISREG(status.st_mode):
            found[name] = path
            size += status.st_size
        elif not stat.S_ISDIR(status.st_mode):
            raise Refused(f"{name} is {kind(path)}; put the file itself in its place")
        elif is_notebook(path):  # where it is copied to, it would stand in the place of the notebook
            raise Refused(f"{name} is a folder with the name of a notebook; rename it")
        if size > ALL_BYTES:
            raise Refused(f"the files are larger than {ALL_BYTES // MB} MB together; hand in what the notebook needs")
    return {name: found[name] for name in sorted(found) if not is_ignored(name)}


def walk(folder: Path) -> Iterator[Path]:
    """Yield everything below a folder, each folder before what it holds, and follow no link."""
    folders = [folder]
    for parent in folders:  # it grows meanwhile
        with os.scandir(parent) as entries:
            for entry in entries:
                yield Path(entry.path)
                if entry.is_dir(follow_symlinks=False):
                    folders.append(Path(entry.path))


def is_ignored(name: str) -> bool:
    """Tell whether a file is none of the student's: a copy by JupyterLab, Python's byte code, feedback that was fetched."""
    return bool(IGNORED & set(PurePosixPath(name).parts)) or name.endswith(".pyc")


def is_notebook(path: Path) -> bool:
    """Tell whether a file says that it is a notebook."""
    return path.suffix.lower() == ".ipynb"


def read(path: Path, limit: int) -> bytes:
    """Return what an ordinary file of at most `limit` bytes holds; it may have been exchanged since it was looked at."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise Refused(f"{shown(path.name)} is not an ordinary file; put the file itself in its place")
        content = file.read(limit + 1)
    if len(content) > limit:
        raise Refused(f"{shown(path.name)} is larger than {limit // MB} MB; where a notebook shows too much, {CLEAR}")
    return content


def sha256(found: dict[str, Path]) -> str:
    """Return a hash of the names and contents of files."""
    total = hashlib.sha256()
    for name, path in found.items():
        total.update(hashlib.sha256(name.encode()).digest() + hashlib.sha256(read(path, ALL_BYTES)).digest())
    return total.hexdigest()


# -- its notebook ----------------------------------------------------------------------------------------------------------------


def notebook_of(found: dict[str, Path], lesson: str) -> Path:
    """Return the file to grade: the one with the lesson's name, else the only one that was made from the lesson."""
    mend = f"hand in {lesson}.ipynb"
    if f"{lesson}.ipynb" in found:
        read_notebook(found[f"{lesson}.ipynb"])
        return found[f"{lesson}.ipynb"]
    candidates = [path for name, path in found.items() if is_notebook(path) and "/" not in name]
    if not candidates:
        raise Refused(f"there is no notebook in the folder; {mend}")
    if len(candidates) > NOTEBOOKS:
        raise Refused(f"there are {len(candidates)} notebooks in the folder, none with the name of the lesson; {mend}")
    made = [path for path in candidates if is_made_from(path, lesson, alone=len(candidates) == 1)]
    if not made:
        raise Refused(f"{listed(candidates)}: not made from this lesson; {mend}")
    if len(made) > 1:
        raise Refused(f"{listed(made)}: it is not clear which one to grade; {mend} and no other copy")
    return made[0]


def listed(paths: list[Path]) -> str:
    """Name some files."""
    more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
    return ", ".join(path.name for path in paths[:3]) + more


def is_made_from(path: Path, lesson: str, alone: bool) -> bool:
    """Tell whether a notebook was made from a lesson: it says so itself or, where that was lost, has cells that only this lesson has.

    One that cannot be read was not, unless it stands alone: then Refused says what is wrong with it.
    """
    try:
        notebook = read_notebook(path)
    except Refused:
        if alone:
            raise
        return False
    made_from = notebook.metadata.get("largebatch")
    if isinstance(made_from, dict) and isinstance(made_from.get("lesson"), str):
        return PurePosixPath(made_from["lesson"]).stem == lesson
    released = COURSE / "notebooks" / lesson / f"{lesson}.ipynb"
    return bool(cell_names(notebook) & cell_names(nbformat.read(released, as_version=4)))


def cell_names(notebook: nbformat.NotebookNode) -> set[str]:
    """Return nbgrader's names of the cells that have one."""
    marked = (cell.metadata.get("nbgrader") for cell in notebook.cells)
    names = (role.get("grade_id") for role in marked if isinstance(role, dict))
    return {name for name in names if isinstance(name, str)}


def read_notebook(path: Path) -> nbformat.NotebookNode:
    """Return a student's notebook in format 4, without outputs; raise Refused where it is none, or could not be copied and written.

    Grading never looks at outputs, and nbformat needs minutes for some: read submissions with this, not with nbformat.
    """
    content, name = read(path, NOTEBOOK_BYTES), shown(path.name)
    if content.count(b"[") + content.count(b"{") > BRACKETS:
        raise Refused(f"{name} holds more than {BRACKETS:,} brackets; {CLEAR}")
    text = checked_json(content, name)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            notebook = nbformat.reads(text, as_version=4)
            nbformat.validate(notebook, relax_add_props=True)  # as nbgrader does, which stops at what fails it
    except Exception as error:  # from the future, or no notebook at all: nbformat has no common class for these
        where = cell_of(error)
        raise Refused(f"{name} is not a notebook that Jupyter can read ({where}{first_line(error)}); {SAVE}") from None
    return notebook


def checked_json(content: bytes, name: str) -> str:
    """Return a notebook as JSON without outputs; raise Refused where it is no JSON, or nothing that can be written as JSON again."""
    try:
        notebook = json.loads(content.decode(), object_hook=without_outputs)
        if not isinstance(notebook, dict) or "nbformat" not in notebook:
            raise Refused(f"{name} is JSON but not a notebook; {SAVE}")
        check_size(notebook, name)
        text = json.dumps(notebook, allow_nan=False, ensure_ascii=False)
        text.encode()
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise Refused(f"{name} is not a notebook: its JSON breaks at {where} ({error.msg}); {SAVE}") from None
    except RecursionError:
        raise Refused(f"{name} is nested deeper than {DEPTH} levels; {FRESH}") from None
    except UnicodeError as error:  # bytes that are not UTF-8, or half of a character that JSON writes in two
        raise Refused(f"{name} is not Unicode text (character {error.start}: {error.reason}); {SAVE}") from None
    except ValueError as error:  # NaN and Infinity, or a number of thousands of digits
        raise Refused(f"{name} holds a number that JSON does not allow ({first_line(error)}); {SAVE}") from None
    return text


def without_outputs(part: dict) -> dict:
    """Empty what a part of a notebook shows: outputs and number of a code cell, as nbgrader does, and the state of widgets."""
    if part.get("cell_type") == "code":
        part |= {"outputs": [], "execution_count": None}
    part.pop("widgets", None)
    return part


def check_size(notebook: dict, name: str) -> None:
    """Refuse a notebook with absurdly many values, or with values absurdly deep in one another."""
    level, count = [notebook], 0
    for _ in range(DEPTH):
        values = [value for part in level for value in (part.values() if isinstance(part, dict) else part)]
        level = [value for value in values if isinstance(value, dict | list)]
        count += len(values)
    if level:
        raise Refused(f"{name} is nested deeper than {DEPTH} levels; {FRESH}")
    if count > VALUES:
        raise Refused(f"{name} holds {count:,} lines and other values, more than {VALUES:,}; {FRESH}")


def cell_of(error: Exception) -> str:
    """Say in which cell a validation failed; empty where the error does not tell."""
    match [*getattr(error, "absolute_path", ())]:
        case ["cells", int(index), *_]:
            return f"cell {index + 1}: "
    return ""


def first_line(error: Exception) -> str:
    """Return the first line of an error, cut to a readable length."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return shown(textwrap.shorten(lines[0], 100))
