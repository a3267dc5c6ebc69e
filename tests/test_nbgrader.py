"""The whole cycle through the six commands of the README, with whole, damaged and dishonest submissions to lesson 00."""

import csv
import html
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from conftest import NO_SANDBOX, ROOT
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


def repeated_checks():
    """As if its author had got hold of hidden checks: they must not come out on the page of feedback."""
    backwards = "\n".join(hidden_lines())[::-1]
    told = f"{RIGHT['spread_of_mean']}\n\nprint({backwards!r}[::-1])"
    return submission(WARM_UP, {**RIGHT, "spread_of_mean": told})


def hidden_lines():
    """Return the lines of the hidden checks of the second check."""
    source = named(read("solutions", WARM_UP))[CHECKS[1]].source
    return {line.strip() for text in HIDDEN.findall(source) for line in text.splitlines()} - {""}


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
    repeated_checks: 3,
}
NAMES = [make.__name__ for make in SUBMISSIONS]


COMMANDS = re.search(
    r"### Grade in six commands.*?```\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S
)[1]
GENERATE, RELEASE, COLLECT, GRADE, FEEDBACK, EXPORT = (
    line.partition("#")[0].replace("01_global_batch", WARM_UP).split() for line in COMMANDS.splitlines()
)


def run(folder, command, home=None):
    """Run a command as a user with this home, with the environment active, and let it fail the test where it fails."""
    environment = {**os.environ, "PYTHONWARNINGS": "ignore", **({"HOME": str(home)} if home else {})}
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment.pop("PYTEST_CURRENT_TEST", None)
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The course after a whole cycle. One student fetches and submits with nbgrader; the files of the others are put in place."""
    folder, home = tmp_path_factory.mktemp("course"), tmp_path_factory.mktemp("home")
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    shutil.copytree(ROOT / "solutions" / WARM_UP, folder / "solutions" / WARM_UP)
    (folder / "autograder" / "exchange").mkdir(parents=True)
    run(folder, GENERATE)
    run(folder, RELEASE)

    exchange = f"--Exchange.root={folder / 'autograder' / 'exchange'}"
    run(home, ["nbgrader", "fetch_assignment", WARM_UP, f"--course={COURSE_ID}", exchange], home)
    assert (home / WARM_UP / f"{WARM_UP}.ipynb").read_bytes() == released(folder).read_bytes()
    nbformat.write(perfect(), home / WARM_UP / f"{WARM_UP}.ipynb")
    run(home, ["nbgrader", "submit", WARM_UP, f"--course={COURSE_ID}", exchange], home)
    own = folder / "work" / WARM_UP / f"{WARM_UP}.ipynb"  # somebody alone in the course folder hands in from work/
    own.parent.mkdir(parents=True)
    nbformat.write(perfect(), own)
    run(folder, ["nbgrader", "submit", WARM_UP])
    run(folder, COLLECT)
    for make in SUBMISSIONS:
        target = folder / "autograder" / "submitted" / make.__name__ / WARM_UP
        target.mkdir(parents=True)
        nbformat.write(make(), target / f"{WARM_UP}.ipynb")

    run(folder, [*GRADE, *(["--no-sandbox"] if NO_SANDBOX else [])])
    run(folder, FEEDBACK)
    run(folder, EXPORT)
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
    visible, hidden = named(read("solutions", WARM_UP))[CHECKS[0]].source.splitlines()[1], hidden_lines()
    assert len(hidden) > 2 and len(feedback) == len(SUBMISSIONS) + 1
    for name, page in feedback.items():
        assert visible in page
        assert not [line for line in hidden if line in page], name


def test_the_report_counts_the_class(course):
    page = (course / "autograder" / "reports" / f"{WARM_UP}.html").read_text(encoding="utf-8")
    assert "this is the variance of the average" in page
    assert not [name for name in NAMES if name in page], "nobody is named"
