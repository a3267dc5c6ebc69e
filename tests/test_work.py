"""tools/work.py and the Makefile: a learner's answers survive everything."""

import json
import shutil
import subprocess
import sys

import pytest
from conftest import LESSONS, ROOT

LESSON = "00_start_here"
NOTEBOOK = f"{LESSON}/{LESSON}.ipynb"


@pytest.fixture
def course(tmp_path):
    shutil.copytree(ROOT / "notebooks", tmp_path / "notebooks")
    return tmp_path


def work(course) -> list[str]:
    """Run tools/work.py and return the lines that it prints."""
    command = [sys.executable, "-W", "error", ROOT / "tools" / "work.py"]
    result = subprocess.run(command, cwd=course, capture_output=True, text=True)
    assert result.returncode == 0 and result.stderr == ""
    return result.stdout.splitlines()


def release_anew(course) -> None:
    """Give the lesson another version."""
    path = course / "notebooks" / NOTEBOOK
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["metadata"]["largebatch"]["version"] = "newer"
    path.write_text(json.dumps(notebook), encoding="utf-8")


def test_every_lesson_and_the_demos_are_copied_once(course):
    assert work(course) == [f"work/{name}: copied, ready to work on" for name in [*LESSONS, "demos"]]
    assert (course / "work" / NOTEBOOK).read_bytes() == (course / "notebooks" / NOTEBOOK).read_bytes()
    assert work(course) == []


def test_an_answer_is_never_overwritten(course):
    work(course)
    own = course / "work" / NOTEBOOK
    own.write_text(own.read_text(encoding="utf-8").replace("your turn", "my answer"), encoding="utf-8")
    before = own.read_bytes()
    assert work(course) == []
    release_anew(course)
    work(course)
    assert own.read_bytes() == before


def test_a_newer_version_is_announced_with_the_command_that_starts_it(course):
    work(course)
    release_anew(course)
    (line,) = work(course)
    assert line.startswith(f"work/{LESSON}: there is a newer version of this notebook; yours is kept.")
    command = line.split("To start afresh: ")[1]
    assert command == f"mv work/{LESSON} work/{LESSON}.old1 && make lab"
    subprocess.run(command.split(" && ")[0].split(), cwd=course, check=True)
    assert work(course) == [f"work/{LESSON}: copied, ready to work on"]
    release_anew(course)
    (course / "work" / NOTEBOOK).write_text("{}")
    assert work(course)[0].endswith(f"mv work/{LESSON} work/{LESSON}.old2 && make lab")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"metadata": 3}', b"\xff\xfe"])
def test_a_broken_notebook_is_kept_and_reported(content, course):
    work(course)
    (course / "work" / NOTEBOOK).write_bytes(content)
    (line,) = work(course)
    assert line.startswith(f"work/{LESSON}: this notebook cannot be read; yours is kept. To start afresh: mv ")
    assert (course / "work" / NOTEBOOK).read_bytes() == content


def test_a_notebook_that_was_deleted_is_copied_again_beside_the_other_files(course):
    work(course)
    (course / "work" / NOTEBOOK).unlink()
    (course / "work" / LESSON / "notes.txt").write_text("mine")
    assert work(course) == [f"work/{LESSON}: copied, ready to work on"]
    assert (course / "work" / LESSON / "notes.txt").read_text() == "mine"


# -- Makefile --------------------------------------------------------------------------------------------------------------------


def make(*arguments, folder=ROOT) -> subprocess.CompletedProcess:
    return subprocess.run(["make", *arguments], cwd=folder, capture_output=True, text=True)


def test_make_alone_lists_the_targets():
    said = make().stdout
    assert all(
        f"make {target}" in said for target in ("lab", "demos", "check", "build", "test", "grade", "bench", "clean")
    )


@pytest.mark.skipif(not (ROOT / ".venv" / "author").exists(), reason="the set-up was not made by make")
def test_the_second_set_up_does_nothing():
    for target, program in (("lab", "jupyterlab"), ("demos", "voila"), ("test", "pytest")):
        plan = make("--dry-run", target).stdout
        assert program in plan
        assert "pip install" not in plan


@pytest.mark.parametrize("target", ["check", "grade"])
@pytest.mark.parametrize("lesson", [[], ["LESSON=no_such"]], ids=str)
def test_an_unknown_lesson_lists_those_that_there_are(target, lesson):
    result = make("--assume-old=.venv/learner", target, *lesson)  # no set-up from within a test
    assert result.returncode != 0
    assert all(name in result.stdout for name in LESSONS) and "demos" not in result.stdout


def test_clean_keeps_answers_submissions_and_grades(tmp_path):
    kept = [
        "work/01/01.ipynb",
        "work/01/__pycache__/x",
        "autograder/submitted/ada/01/01.ipynb",
        "autograder/gradebook.db",
    ]
    gone = [".venv/bin/x", ".pytest_cache/x", "autograder/__pycache__/x", "largebatch/demos/__pycache__/x"]
    for name in [*kept, *gone, "tests/x", "tools/x", "lessons/x", "benchmarks/x"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    shutil.copy(ROOT / "Makefile", tmp_path)
    assert make("clean", folder=tmp_path).returncode == 0
    assert all((tmp_path / name).exists() for name in kept)
    assert not any((tmp_path / name).exists() for name in gone)
