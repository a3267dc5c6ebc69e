"""The whole cycle through nbgrader's own commands, with whole, damaged and dishonest submissions to lesson 00."""

import csv
import html
import os
import re
import shutil
import subprocess
import sys

import nbformat
import pytest
from conftest import ROOT
from submissions import HARD_CODED, RIGHT, WARM_UP, named, read, submission

from autograder.preprocessors import HIDDEN

COURSE_ID = "large-batch-training"
CHECKS = ("spread_of_mean_by_hand", "spread_of_mean_any_batch", "quiz_validate_choice")
WRONG = {
    "spread_of_mean": "def spread_of_mean(spread, batch_size):\n    return 4.0",
    "quiz_validate": 'answer_quiz_validate = "A"',
}


def perfect():
    return submission(WARM_UP, RIGHT)


def partial():
    return submission(WARM_UP, {**RIGHT, "spread_of_mean": HARD_CODED})


def wrong():
    return submission(WARM_UP, WRONG)


def empty():
    return read("notebooks", WARM_UP)


def syntax_error():
    return submission(WARM_UP, {**RIGHT, "spread_of_mean": "def spread_of_mean(spread, batch_size)\n    return spread"})


def without(notebook, *names):
    notebook.cells = [cell for cell in notebook.cells if cell not in [named(notebook)[name] for name in names]]
    return notebook


def deleted_checks():
    return without(partial(), *CHECKS)


def deleted_answer():
    return without(perfect(), "spread_of_mean")


def edited_checks():
    notebook = wrong()
    for name in CHECKS:
        named(notebook)[name].source = "assert True"
    return notebook


def copied_checks():
    """Copies stand before the imports, where they fail: it is the last copy that must count."""
    notebook = perfect()
    copies = [nbformat.from_dict({**named(notebook)[name], "id": f"copy{i}"}) for i, name in enumerate(CHECKS)]
    notebook.cells = copies + notebook.cells
    return notebook


def forged_points_and_flags():
    notebook = partial()
    cells = named(notebook)
    for name in CHECKS:
        cells[name].metadata.nbgrader.points = 100
    cells["spread_of_mean_any_batch"].metadata.nbgrader.update(grade=False, solution=True)
    cells["spread_of_mean"].metadata.nbgrader.update(grade=True, points=100)
    return notebook


SUBMISSIONS = {  # what was done to the notebook → what it must score, of 3
    perfect: 3,
    partial: 2,
    wrong: 0,
    empty: 0,
    syntax_error: 1,
    deleted_checks: 2,
    deleted_answer: 1,
    edited_checks: 0,
    copied_checks: 3,
    forged_points_and_flags: 2,
}
NAMES = [make.__name__ for make in SUBMISSIONS]


def nbgrader(folder, command, *arguments, home=None):
    """Run one command of nbgrader as a user with this home, and let it fail the test where it fails."""
    environment = {**os.environ, **({"HOME": str(home)} if home else {})}
    environment.pop("PYTEST_CURRENT_TEST", None)
    call = [sys.executable, "-W", "ignore", "-m", "nbgrader", command, *arguments]
    result = subprocess.run(call, cwd=folder, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, f"nbgrader {command}\n{result.stdout}{result.stderr}"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The course after a whole cycle. One student fetches and submits with nbgrader; the files of the others are put in place."""
    folder, home = tmp_path_factory.mktemp("course"), tmp_path_factory.mktemp("home")
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    shutil.copytree(ROOT / "solutions" / WARM_UP, folder / "solutions" / WARM_UP)
    (folder / "autograder" / "exchange").mkdir(parents=True)
    nbgrader(folder, "generate_assignment", WARM_UP)
    nbgrader(folder, "release_assignment", WARM_UP)

    exchange = f"--Exchange.root={folder / 'autograder' / 'exchange'}"
    nbgrader(home, "fetch_assignment", WARM_UP, f"--course={COURSE_ID}", exchange, home=home)
    assert (home / WARM_UP / f"{WARM_UP}.ipynb").read_bytes() == released(folder).read_bytes()
    nbformat.write(perfect(), home / WARM_UP / f"{WARM_UP}.ipynb")
    nbgrader(home, "submit", WARM_UP, f"--course={COURSE_ID}", exchange, home=home)
    own = folder / "work" / WARM_UP / f"{WARM_UP}.ipynb"  # somebody alone in the course folder hands in from work/
    own.parent.mkdir(parents=True)
    nbformat.write(perfect(), own)
    nbgrader(folder, "submit", WARM_UP)
    nbgrader(folder, "collect", WARM_UP, "--update")
    for make in SUBMISSIONS:
        target = folder / "autograder" / "submitted" / make.__name__ / WARM_UP
        target.mkdir(parents=True)
        nbformat.write(make(), target / f"{WARM_UP}.ipynb")

    nbgrader(folder, "autograde", WARM_UP)
    nbgrader(folder, "generate_feedback", WARM_UP)
    nbgrader(folder, "export")
    return folder


def released(folder):
    return folder / "notebooks" / WARM_UP / f"{WARM_UP}.ipynb"


@pytest.fixture(scope="module")
def scores(course) -> dict[str, float]:
    with (course / "autograder" / "grades.csv").open(newline="") as file:
        return {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def feedback(course) -> dict[str, str]:
    """Return the text of each feedback page."""
    pages = {path.parts[-3]: path for path in (course / "autograder" / "feedback").glob(f"*/{WARM_UP}/{WARM_UP}.html")}
    return {
        name: html.unescape(re.sub(r"<[^>]+>", "", page.read_text(encoding="utf-8"))) for name, page in pages.items()
    }


def test_generating_again_changes_nothing(course):
    assert released(course).read_bytes() == released(ROOT).read_bytes()


@pytest.mark.parametrize("make, expected", list(SUBMISSIONS.items()), ids=NAMES)
def test_the_score_is_right(make, expected, scores):
    assert scores[make.__name__] == expected


def test_the_notebook_that_was_fetched_submitted_and_collected_is_graded(scores):
    (student,) = set(scores) - set(NAMES)
    assert scores[student] == 3


def test_feedback_says_what_is_wrong(feedback):
    assert "likely cause  this is the variance of the average" in feedback["wrong"]
    assert "6 (spread 6, batch of 1)" in feedback["partial"]
    assert "The next cell was missing from the submission" in feedback["deleted_checks"]


def test_feedback_shows_visible_checks_but_no_hidden_one(feedback):
    cells = named(read("solutions", WARM_UP))
    hidden = {line.strip() for text in HIDDEN.findall(cells[CHECKS[1]].source) for line in text.splitlines()} - {""}
    assert len(hidden) > 2 and len(feedback) == len(SUBMISSIONS) + 1
    for name, page in feedback.items():
        assert cells[CHECKS[0]].source.splitlines()[1] in page
        assert not [line for line in hidden if line in page], name
