"""Shared by all tests: the lessons there are, processes for what takes long, and the lines at the end of a run.

A module with tests that use the fixture `work` has a function `jobs`: what two processes are to do for a lesson. They start before the
first test and go on beside the tests that do not wait for them; those that do come last. So both cores have work all the time.
"""

import itertools
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from autograder import sandbox

ROOT = Path(__file__).parent.parent
LESSONS = sorted(path.stem for path in (ROOT / "lessons").glob("[0-9]*.py"))
TALLY = pytest.StashKey[dict[str, Counter]]()

sys.path.insert(0, str(ROOT))  # tools/ is no package
# Programs that nbgrader starts by name (alembic) stand beside this Python.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
# Several processes share the cores: with two threads of PyTorch in each, lesson 02 takes three times as long.
os.environ["OMP_NUM_THREADS"] = "1"


def no_sandbox() -> str:
    """Return why submissions cannot be shut in on this machine; empty where they can."""
    try:
        sandbox.require()
    except sandbox.NoSandbox as error:
        return f"THE SANDBOX WAS NOT TESTED: {error}"
    return ""


NO_SANDBOX = no_sandbox()
needs_sandbox = pytest.mark.skipif(bool(NO_SANDBOX), reason=NO_SANDBOX)


def pytest_configure(config):
    config.stash[TALLY] = defaultdict(Counter)


def prepare_worker() -> None:
    """Remove the variable at which ipykernel leaves alone what is written to file descriptor 2, unlike for a learner."""
    os.environ.pop("PYTEST_CURRENT_TEST", None)


@pytest.fixture(scope="session")
def work(request) -> Iterator[dict[tuple, Future]]:
    """Let two processes do the jobs for the lessons that the chosen tests name; a job is a function, a lesson and what else it is given.

    They are processes since nbgrader changes its folder, so it cannot do two things at once in one. The last lessons, which take longest,
    come first: so neither worker is left alone with much at the end.
    """
    waiting = [item for item in request.session.items if "work" in item.fixturenames]
    lessons = [lesson for lesson in reversed(LESSONS) if any(lesson in item.name for item in waiting)]
    modules = {item.module: None for item in waiting}  # each once, in their order
    pool = ProcessPoolExecutor(2, get_context("spawn"), prepare_worker)
    yield {job: pool.submit(*job) for lesson in lessons for module in modules for job in module.jobs(lesson)}
    pool.shutdown(cancel_futures=True)


@pytest.fixture(scope="session", autouse=True)
def start_work(request) -> None:
    """Start the work before the first test, so that it goes on beside those that do not wait for it."""
    if any("work" in item.fixturenames for item in request.session.items):
        request.getfixturevalue("work")


def pytest_collection_modifyitems(items):
    """Let the tests that wait for the work come last."""
    items.sort(key=lambda item: "work" in item.fixturenames)


@pytest.fixture(scope="session")
def tally(request) -> dict[str, Counter]:
    """Count what the bank's answers got, by lesson, for the lines at the end of the run."""
    return request.config.stash[TALLY]


def pytest_terminal_summary(terminalreporter, config):
    """Say what the bank showed, and how long each file of tests took."""
    for lesson, count in sorted(config.stash[TALLY].items()):
        terminalreporter.write_line(
            f"bank {lesson}: exercises {count['exercises']}, "
            f"right accepted {count['right accepted']}/{count['right']}, "
            f"wrong rejected {count['wrong rejected']}/{count['wrong']}, mistakes named {count['named']}/{count['to name']}"
        )
    seconds = Counter()
    for report in itertools.chain.from_iterable(terminalreporter.stats.values()):
        if isinstance(report, pytest.TestReport):
            seconds[report.nodeid.split("::")[0]] += report.duration
    for file, spent in seconds.most_common():
        terminalreporter.write_line(f"{spent:6.1f} s  {file}")
