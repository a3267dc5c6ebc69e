"""The lessons: each runs as a script without a warning, and as the learner's notebook to its end; tests/test_bank.py answers them."""

import resource
import subprocess
import sys

import nbformat
import pytest
from conftest import LESSONS, ROOT
from nbclient import NotebookClient
from submissions import RIGHT, WARM_UP, failed, name_of, read, submission

from autograder.trial import TrialCourse

NOISY = """
import os, subprocess, sys, warnings

def spread_of_mean(spread, batch_size):
    warnings.warn("a warning of a library")
    print("to stderr", file=sys.stderr)
    print("to the original stderr", file=sys.__stderr__)
    os.write(2, b"to file descriptor 2, as C++ does\\n")
    subprocess.run([sys.executable, "-c", "import sys; sys.stderr.write('from a child process')"])
    return spread / batch_size**0.5
"""


# -- each text is run once, in a worker ------------------------------------------------------------------------------------------


def run_as_script(lesson: str) -> tuple[subprocess.CompletedProcess, float]:
    """Return the result and the seconds of the processor, which depend less than the clock on what else runs."""
    command = [sys.executable, "-W", "error", ROOT / "lessons" / f"{lesson}.py"]
    before = used_by_children()
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    return result, used_by_children() - before


def used_by_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_all(lesson: str) -> nbformat.NotebookNode:
    """Run a lesson as released like JupyterLab's Run All: an error stops it, except in cells that are tagged to go on."""
    resources = {"metadata": {"path": str(ROOT / "notebooks" / lesson)}}
    return NotebookClient(read("notebooks", lesson), timeout=120, resources=resources, allow_errors=False).execute()


def jobs(lesson: str) -> list[tuple]:
    return [(way, lesson) for way in (run_as_script, run_all)]


# -- what they must give ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_runs_as_a_script_without_a_warning(lesson, work):
    result, seconds = work[run_as_script, lesson].result()
    assert result.returncode == 0, result.stderr
    assert "Warning" not in result.stderr, result.stderr
    assert seconds < 60, "a lesson should take half of it; a slow machine takes twice as long as another"


@pytest.mark.parametrize("lesson", LESSONS)
def test_run_all_reaches_the_end_and_only_exercises_fail(lesson, work):
    code = [cell for cell in work[run_all, lesson].result().cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in code)
    failing = [cell for cell in code if any(output.output_type == "error" for output in cell.outputs)]
    assert failing and all(name_of(cell) for cell in failing)
    assert not [output.text for cell in code for output in cell.outputs if output.get("name") == "stderr"]


@pytest.mark.parametrize("lesson", LESSONS)
def test_validate_names_every_check_that_is_not_answered(lesson, work, tmp_path):
    notebook = work[run_all, lesson].result()
    nbformat.write(notebook, tmp_path / "run.ipynb")
    visible = [cell.source.strip() for cell in notebook.cells if is_visible_check(cell)]
    assert visible and failed(tmp_path / "run.ipynb", has_run=True) == visible


def is_visible_check(cell) -> bool:
    """Tell whether a released cell checks anything; of a hidden check only comments are left."""
    code = [line for line in cell.source.splitlines() if line and not line.startswith("#")]
    return cell.metadata.get("nbgrader", {}).get("grade", False) and cell.cell_type == "code" and bool(code)


def test_a_warning_costs_nothing(tmp_path, monkeypatch):
    monkeypatch.delenv("PYTEST_CURRENT_TEST")  # where ipykernel sees this, it leaves file descriptor 2 alone
    notebook = submission(WARM_UP, {**RIGHT, "spread_of_mean": NOISY})
    nbformat.write(notebook, tmp_path / "noisy.ipynb")
    assert failed(tmp_path / "noisy.ipynb") == []
    with TrialCourse(WARM_UP) as course:
        course.submit("ada", notebook)
        assert all(verdict.points == verdict.max_points for verdict in course.grade("ada"))
        assert "a warning of a library" in course.graded("ada").read_text(encoding="utf-8")  # it was not just lost
