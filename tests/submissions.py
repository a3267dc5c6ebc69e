"""Notebooks as learners hand them in."""

import nbformat
from conftest import ROOT
from nbgrader.preprocessors import CheckCellMetadata
from nbgrader.validator import Validator
from traitlets.config import PyFileConfigLoader

CONFIG = PyFileConfigLoader("nbgrader_config.py", path=str(ROOT)).load_config()

WARM_UP = "00_start_here"  # the lesson on which the machinery is tested
RIGHT = {
    "spread_of_mean": "def spread_of_mean(spread, batch_size):\n    return spread / batch_size**0.5",
    "quiz_validate": 'answer_quiz_validate = "B"',
}
HARD_CODED = "def spread_of_mean(spread, batch_size):\n    return 2.0"


def read(folder: str, lesson: str) -> nbformat.NotebookNode:
    """Return the notebook of a lesson from solutions/ or notebooks/."""
    return nbformat.read(ROOT / folder / lesson / f"{lesson}.ipynb", as_version=4)


def name_of(cell) -> str | None:
    """Return nbgrader's name of a cell; None for a plain cell."""
    return cell.metadata.get("nbgrader", {}).get("grade_id")


def named(notebook) -> dict[str, nbformat.NotebookNode]:
    """Return the cells that nbgrader knows, by name."""
    return {name_of(cell): cell for cell in notebook.cells if name_of(cell)}


def submission(lesson: str, answers: dict[str, str]) -> nbformat.NotebookNode:
    """Return the released notebook with these answers in their cells."""
    notebook = read("notebooks", lesson)
    for exercise, answer in answers.items():
        named(notebook)[exercise].source = answer
    return notebook


def failed(path, has_run=False) -> list[str]:
    """Return the sources of the cells that the Validate button complains about; it runs the notebook unless that was done."""
    validator = Validator(config=CONFIG)
    if has_run:
        validator.preprocessors = [CheckCellMetadata]
    results = validator.validate(str(path))
    assert set(results) <= {"failed"}, results
    return [cell["source"] for cell in results.get("failed", [])]
