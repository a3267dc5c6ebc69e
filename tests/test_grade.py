"""python -m autograder.grade as a command: every way of running notebooks gives the same scores, and nothing that was graded is lost or done again."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from classroom import HandedIn, classroom, hand_in
from conftest import ROOT, needs_sandbox
from scores import make_course, scores
from submissions import RIGHT, WARM_UP, submission

from autograder import cluster

RANKS = "09_data_parallel"
ON_RANKS = ("data_parallel_step_", "ring_all_reduce_")  # its checks that start ranks, which talk through gloo
CLASS = list(classroom([WARM_UP], 8))  # one of each kind
FEW = [CLASS[number] for number in (1, 3, 7)]  # partial, empty, copied checks
SECONDS = 120  # that anything here may take on a busy machine

pytestmark = needs_sandbox


def start(course: Path, lesson: str, *flags: str) -> subprocess.Popen:
    """Start the grader in a course."""
    call = [sys.executable, "-m", "autograder.grade", lesson, *flags]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(call, cwd=course, env=environment(), text=True, **pipes)


def environment() -> dict[str, str]:
    """Return the variables of a program that finds what this one finds."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}  # ipykernel minds it
    return {**kept, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), *sys.path]))}


def finish(grader: subprocess.Popen) -> str:
    """Wait for a grader that must succeed and return what it says."""
    said, bar = grader.communicate(timeout=SECONDS)
    assert grader.returncode == 0, said + bar
    return said + bar


def records(course: Path) -> list[dict]:
    """Return what the grader has noted about the warm-up, in the order in which it was done."""
    path = course / "autograder" / "records" / f"{WARM_UP}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def wait_for(condition: Callable[[], object]) -> None:
    """Wait until a function returns something true."""
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, f"still not so after {SECONDS} s"
        time.sleep(0.05)


def graded_files(course: Path) -> dict[str, int]:
    """Return when the graded notebooks of the warm-up were written, in nanoseconds, by student."""
    paths = (course / "autograder" / "autograded").glob(f"*/{WARM_UP}/{WARM_UP}.ipynb")
    return {path.parts[-3]: path.stat().st_mtime_ns for path in paths}


@pytest.fixture(scope="module")
def ours(tmp_path_factory) -> tuple[Path, str]:
    """Return a course whose warm-up was graded in the sandbox, and what the grader said."""
    course = make_course(tmp_path_factory.mktemp("ours") / "course", [WARM_UP], CLASS)
    return course, finish(start(course, WARM_UP))


@pytest.fixture(scope="module")
def right(ours) -> dict[str, dict]:
    """Return the scores to compare with, taken before any test changes the course."""
    return scores(ours[0], WARM_UP)


# -- the same scores in every way ------------------------------------------------------------------------------------------------


def test_progress_and_summary(ours, right):
    said = ours[1]
    assert "8/8" in said and "8 graded in" in said and "slowest cells" in said and "Shut in:" in said
    assert Counter(sum(score.points or 0 for score in cells.values()) for cells in right.values())[3.0] == 2


@pytest.mark.parametrize("flag", ["--kernel", "--stock", "--no-sandbox"])
def test_equal_scores(flag, right, tmp_path):
    course = make_course(tmp_path / "course", [WARM_UP], FEW)
    said = finish(start(course, WARM_UP, flag))
    assert ("Shut in:" in said) == (flag == "--kernel")
    assert scores(course, WARM_UP) == {one.student: right[one.student] for one in FEW}


def test_ranks_have_full_marks_in_the_sandbox(tmp_path):
    (perfect,) = classroom([RANKS], 1)
    cells = perfect.notebook.cells  # the lesson's own demonstrations of ranks would only take time
    perfect.notebook.cells = [cell for cell in cells if "nbgrader" in cell.metadata or "ranks.run(" not in cell.source]
    course = make_course(tmp_path / "course", [RANKS], [perfect])
    finish(start(course, RANKS))
    found = scores(course, RANKS)[perfect.student]
    assert [found[name].points for name in sorted(found) if name.startswith(ON_RANKS)] == [2, 1, 2, 1]


# -- interruptions ---------------------------------------------------------------------------------------------------------------


def interrupted(course: Path, number: int) -> subprocess.Popen:
    """Start the grader and return it when it has graded so many in all, and has more to do."""
    grader = start(course, WARM_UP, "--workers", "1")
    wait_for(lambda: len(records(course)) >= number or grader.poll() is not None)
    assert grader.poll() is None and len(records(course)) < len(CLASS)
    return grader


def test_interruptions_lose_nothing(right, tmp_path):
    course = make_course(tmp_path / "course", [WARM_UP], CLASS)

    grader = interrupted(course, 1)
    grader.send_signal(signal.SIGINT)
    assert "graded and kept; run it again for the rest" in grader.communicate(timeout=SECONDS)[1]
    assert grader.returncode == 130

    grader = interrupted(course, len(records(course)) + 1)
    started = psutil.Process(grader.pid).children(recursive=True)
    grader.kill()
    grader.communicate()
    assert len(started) > 1 and psutil.wait_procs(started, timeout=SECONDS)[1] == []

    grader = interrupted(course, len(records(course)) + 1)
    for process in psutil.Process(grader.pid).children():
        if process.name() == "bwrap":
            process.kill()  # and with it the warm process
    finish(grader)

    assert scores(course, WARM_UP) == right
    assert graded_files(course).keys() == right.keys()
    assert Counter(record["student"] for record in records(course)) == dict.fromkeys(right, 1)
    assert not any(record["reason"] for record in records(course))


def test_a_second_run_grades_only_what_has_changed(ours, right):
    course, before = ours[0], graded_files(ours[0])
    assert "0 graded; 8 had been graded before and have not changed" in finish(start(course, WARM_UP))
    assert graded_files(course) == before and scores(course, WARM_UP) == right

    failed = CLASS[2]
    hand_in(course, [HandedIn(failed.student, WARM_UP, "perfect", submission(WARM_UP, RIGHT))])
    assert "1 graded in" in finish(start(course, WARM_UP))
    after, perfect = scores(course, WARM_UP), CLASS[0].student
    assert right[failed.student] != right[perfect] == after.pop(failed.student)
    assert after.items() < right.items()
    assert {student for student, written in graded_files(course).items() if written != before[student]} == {
        failed.student
    }


# -- a cluster -------------------------------------------------------------------------------------------------------------------


class Cluster:
    """A Dask scheduler on this machine, and its workers."""

    def __init__(self, folder: Path):
        self.processes, file = [], folder / "scheduler.json"
        self.dask("scheduler", "--port", "0", "--scheduler-file", str(file))
        wait_for(lambda: file.exists() and file.stat().st_size)
        self.address = json.loads(file.read_text())["address"]

    def dask(self, *command: str, path: str = os.environ["PATH"]) -> subprocess.Popen:
        """Start a program of Dask's."""
        call = [sys.executable, "-m", "dask", *command, "--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0"]
        nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.processes.append(subprocess.Popen(call, env={**environment(), "PATH": path}, **nowhere))
        return self.processes[-1]

    def worker(self, *flags: str, **settings) -> subprocess.Popen:
        """Start a worker with one thread."""
        return self.dask("worker", self.address, "--nthreads", "1", *flags, **settings)

    def wait_for_workers(self, number: int) -> None:
        """Wait until so many workers have reported to the scheduler."""
        from distributed import Client

        with Client(self.address) as client:
            client.wait_for_workers(number, timeout=SECONDS)

    def stop(self) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@pytest.fixture
def dask_cluster(tmp_path):
    pytest.importorskip("distributed", reason="Dask is not installed: pip install -e '.[cluster]'")
    started = Cluster(tmp_path)
    yield started
    started.stop()


def test_a_cluster_gives_equal_scores_and_survives_the_death_of_a_worker(dask_cluster, right, tmp_path):
    workers = [dask_cluster.worker("--no-nanny") for _ in range(2)]
    dask_cluster.wait_for_workers(2)
    course = make_course(tmp_path / "course", [WARM_UP], CLASS)
    grader = start(course, WARM_UP, "--scheduler", dask_cluster.address)
    wait_for(lambda: records(course) or grader.poll() is not None)
    assert grader.poll() is None and len(records(course)) < len(CLASS)
    workers[0].kill()
    finish(grader)
    assert scores(course, WARM_UP) == right
    assert not any(record["reason"] for record in records(course))


def no_cluster(address: str) -> str:
    """Return why a cluster cannot be used."""
    with pytest.raises(cluster.NoCluster) as caught, cluster.pool(address, enclosed=True):
        pass
    return str(caught.value)


def test_a_cluster_that_cannot_grade_is_refused(dask_cluster, monkeypatch, tmp_path):
    monkeypatch.setattr(cluster, "ANSWER_SECONDS", 1)
    assert "no Dask scheduler answers at tcp://127.0.0.1:1" in no_cluster("tcp://127.0.0.1:1")
    assert "has no workers" in no_cluster(dask_cluster.address)
    (tmp_path / "python").symlink_to(sys.executable)
    without_bubblewrap = dask_cluster.worker("--no-nanny", path=str(tmp_path))
    dask_cluster.wait_for_workers(1)
    assert "bubblewrap is not installed" in no_cluster(dask_cluster.address)
    without_bubblewrap.kill()
    dask_cluster.worker("--nanny")
    wait_for(lambda: "start it with --no-nanny" in no_cluster(dask_cluster.address))
