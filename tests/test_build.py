"""tools/build.py: the same lessons give the same bytes, nothing of a solution is released, and a faulty lesson is refused."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from conftest import LESSONS, ROOT

from autograder.preprocessors import HIDDEN
from tools import build

SOLUTION = re.compile(r"### BEGIN SOLUTION[^\n]*\n(.*?)### END SOLUTION", re.S)

LESSON = '''# %% [markdown]
r"""
# 00 · May we test the build?

**Points** 3
"""

# %% [markdown]
r"""
## Exercise 0.1: `double` (2 points, 1 minute, warm-up)
"""


# %% solution="double"
def double(number):
    ### BEGIN SOLUTION
    return 2 * number
    ### END SOLUTION


# %% tests="double_by_hand" points=1
assert double(2) == 4

# %% tests="double_any" points=1
### BEGIN HIDDEN TESTS
assert double(5) == 10
### END HIDDEN TESTS

# %% [markdown]
r"""
## Exercise 0.2: `meaning` (1 point, 1 minute, core)
"""

# %% [markdown] answer="meaning" points=1
r"""
### BEGIN SOLUTION
Twice as much.
### END SOLUTION
"""
'''
PAGE = '''# %% [markdown]
r"""
# May we look around?
"""

# %%
2 + 2
'''
REFUSALS = {  # name → (what to change, into what, what the refusal must say, cell it must name)
    "duplicate name": ('tests="double_any"', 'tests="double_by_hand"', "two cells have this name", "double_by_hand"),
    "tests without a solution": ('tests="double_any"', 'tests="triple_any"', "tests without a solution", "triple_any"),
    "solution without tests": ('# %% tests="double', "# %% [markdown]\n# ", "the cells give 0", "double"),
    "points of an exercise": ("(2 points", "(3 points", "the heading promises 3 points, the cells give 2", "double"),
    "exercise without heading": (
        "## Exercise 0.1: `double` (2 points",
        "## 0.1 (2 points",
        "promises no points",
        "double",
    ),
    "points of the lesson": ("**Points** 3", "**Points** 4", "**Points** 3", "first cell"),
    "unbalanced solution": ("    ### END SOLUTION\n", "", "unbalanced SOLUTION block", "double"),
    "unbalanced hidden tests": ("### BEGIN HIDDEN TESTS\n", "", "unbalanced HIDDEN TESTS block", "double_any"),
    "hidden tests in a solution": (
        "    return 2",
        "    ### BEGIN HIDDEN TESTS\n    ### END HIDDEN TESTS\n    return 2",
        "a HIDDEN TESTS block may stand only in a cell marked tests",
        "double",
    ),
    "solution in a test": (
        "assert double(2)",
        "### BEGIN SOLUTION\n### END SOLUTION\nassert double(2)",
        "a SOLUTION block may stand only in a cell marked solution or answer",
        "double_by_hand",
    ),
    "region in a plain cell": (
        "**Points** 3",
        "### BEGIN SOLUTION\n### END SOLUTION\n**Points** 3",
        "may stand only",
        "1",
    ),
    "unknown marker": (
        'tests="double_any" points=1',
        'tests="double_any" point=1',
        "unknown marker 'point'",
        "double_any",
    ),
    "tests without points": ('tests="double_any" points=1', 'tests="double_any"', "add points=", "double_any"),
    "points on a solution": ('solution="double"', 'solution="double" points=1', "points belong to a tests", "double"),
    "name in a test": (
        "assert double(2) == 4",
        "result = double(2)\nassert result == 4",
        "'result' could overwrite a name of the learner's; call it _result",
        "double_by_hand",
    ),
    "trailing value": ("assert double(2) == 4", "double(2) == 4", "ends in a value", "double_by_hand"),
    "nothing to hide": (
        "    ### BEGIN SOLUTION\n    return 2 * number\n    ### END SOLUTION\n",
        "    return 2 * number\n",
        "nothing to hide",
        "double",
    ),
}


def house(folder: Path, lessons: dict[str, str]) -> Path:
    """Make a course with these lessons and the build of this one."""
    (folder / "lessons").mkdir()
    for name, text in lessons.items():
        (folder / "lessons" / f"{name}.py").write_text(text, encoding="utf-8")
    for file in ("nbgrader_config.py", "jupytext.toml"):
        shutil.copy(ROOT / file, folder)
    return folder


def run_build(folder: Path) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, ROOT / "tools" / "build.py"], cwd=folder, capture_output=True, text=True)


def generated(folder: Path) -> dict[str, bytes]:
    """Return every generated notebook of a course: path → bytes."""
    paths = [*folder.glob("solutions/*/*.ipynb"), *folder.glob("notebooks/*/*.ipynb")]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def lines_of(texts) -> set[str]:
    """Return the lines of some texts, without their indentation."""
    return {line.strip() for text in texts for line in text.splitlines()} - {""}


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory) -> Path:
    """A fresh build of the course, and of one lesson more, with an answer that a person grades."""
    lessons = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "lessons").glob("*.py")}
    folder = house(tmp_path_factory.mktemp("house"), {**lessons, "99_written": LESSON})
    result = run_build(folder)
    assert result.returncode == 0, result.stderr
    return folder


def test_a_rebuild_gives_the_committed_bytes(rebuilt):
    fresh = {path: content for path, content in generated(rebuilt).items() if "99_written" not in path}
    committed = generated(ROOT)
    assert sorted(fresh) == sorted(committed)
    changed = [path for path in fresh if fresh[path] != committed[path]]
    assert not changed, "run make build and commit what it changes"


@pytest.mark.parametrize(
    "path", [ROOT / "notebooks" / name / f"{name}.ipynb" for name in LESSONS], ids=lambda path: path.stem
)
def test_a_released_notebook_holds_no_solution_no_hidden_test_and_no_output(path):
    released, lesson = nbformat.read(path, as_version=4), path.stem
    source = nbformat.read(ROOT / "solutions" / lesson / path.name, as_version=4)
    text = lines_of(cell.source for cell in released.cells)
    visible = lines_of(HIDDEN.sub("", SOLUTION.sub("", cell.source)) for cell in source.cells)
    secret = lines_of(
        part for cell in source.cells for part in SOLUTION.findall(cell.source) + HIDDEN.findall(cell.source)
    )
    assert secret - visible
    assert not text & (secret - visible), "part of a solution or of a hidden test was released"
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in released.cells)
    assert not any(mark in line for line in text for mark in ("BEGIN SOLUTION", "HIDDEN TESTS"))
    assert released.metadata.largebatch.lesson == source.metadata.largebatch.lesson == f"lessons/{lesson}.py"


def test_a_written_answer_is_graded_by_a_person(rebuilt):
    for folder in ("solutions", "notebooks"):
        notebook = nbformat.read(rebuilt / folder / "99_written" / "99_written.ipynb", as_version=4)
        cell = next(cell for cell in notebook.cells if cell.id == "meaning")
        role = cell.metadata.nbgrader
        assert (cell.cell_type, role.grade, role.solution, role.points) == ("markdown", True, True, 1)
        assert ("Twice as much" in cell.source) == (folder == "solutions")


@pytest.mark.parametrize("old, new, says, cell", REFUSALS.values(), ids=REFUSALS)
def test_a_faulty_lesson_is_refused(old, new, says, cell, tmp_path, monkeypatch):
    assert old in LESSON
    monkeypatch.chdir(house(tmp_path, {"00_faulty": LESSON.replace(old, new)}))
    with pytest.raises(build.LessonError) as refusal:
        build.build()
    line = str(refusal.value)
    assert "lessons/00_faulty.py" in line and says in line and re.search(rf"'?{cell}'?", line) and "\n" not in line
    assert not generated(tmp_path)


def test_a_refusal_is_one_line_and_an_exit_status(tmp_path):
    old, new, *_ = REFUSALS["points of the lesson"]
    result = run_build(house(tmp_path, {"00_faulty": LESSON.replace(old, new)}))
    assert result.returncode == 1
    assert result.stderr.startswith("build refused: lessons/00_faulty.py") and result.stderr.count("\n") == 1


def test_the_faultless_lesson_is_accepted(tmp_path, monkeypatch):
    monkeypatch.chdir(house(tmp_path, {"00_right": LESSON}))
    assert build.instructor_notebook(Path("lessons/00_right.py")).cells


@pytest.mark.parametrize("folder", ["solutions/99_written", "notebooks/99_written", "notebooks/demos"])
def test_foreign_edits_are_not_overwritten(folder, rebuilt, tmp_path, monkeypatch):
    monkeypatch.chdir(shutil.copytree(rebuilt, tmp_path / "copy"))
    path = Path(folder) / f"{Path(folder).name}.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["cells"][2]["source"].append("    return 3 * number\n")
    path.write_text(json.dumps(notebook), encoding="utf-8")
    before = generated(Path())
    with pytest.raises(build.LessonError, match=rf"{path.name}: changed since it was built.* work/ .* git checkout"):
        build.build()
    assert generated(Path()) == before


# -- pages without a number ------------------------------------------------------------------------------------------------------


def test_a_page_goes_to_the_learner_as_it_is_and_is_no_assignment(tmp_path):
    folder = house(tmp_path, {"00_right": LESSON, "around": PAGE})
    assert run_build(folder).returncode == 0
    assert sorted(generated(folder)) == [
        "notebooks/00_right/00_right.ipynb",
        "notebooks/around/around.ipynb",
        "solutions/00_right/00_right.ipynb",
    ]
    page = nbformat.read(folder / "notebooks/around/around.ipynb", as_version=4)
    assert page.metadata.title == "May we look around?" and page.cells[1].source == "2 + 2"


@pytest.mark.parametrize(
    ("page", "says"),
    [(LESSON, "'double': .* holds no exercises"), (PAGE.replace("# May", "May"), "begin it with a title")],
    ids=["exercise", "no title"],
)
def test_a_faulty_page_is_refused(page, says, tmp_path, monkeypatch):
    monkeypatch.chdir(house(tmp_path, {"around": page}))
    with pytest.raises(build.LessonError, match=rf"lessons/around.py, .*{says}"):
        build.build()
    assert not generated(tmp_path)


@pytest.mark.parametrize("command", [["check"], ["format", "--check"]], ids=" ".join)
def test_ruff_is_content(command):
    result = subprocess.run([sys.executable, "-m", "ruff", *command, ROOT], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout
