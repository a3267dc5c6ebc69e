"""Shared by all tests: the lessons there are, a kernel environment like a learner's, and the lines at the end of a run."""

import itertools
import os
import sys
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LESSONS = sorted(path.stem for path in (ROOT / "lessons").glob("*.py"))
TALLY = pytest.StashKey[dict[str, Counter]]()

sys.path.insert(0, str(ROOT))  # tools/ is no package
# Programs that nbgrader starts by name (alembic) stand beside this Python.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])


def pytest_configure(config):
    config.stash[TALLY] = defaultdict(Counter)


def prepare_worker() -> None:
    """Give PyTorch one thread, since the other core has a worker of its own: with two each, lesson 02 takes three times as long.

    Also remove the variable at which ipykernel leaves alone what is written to file descriptor 2, unlike for a learner.
    """
    os.environ["OMP_NUM_THREADS"] = "1"
    os.environ.pop("PYTEST_CURRENT_TEST", None)


@pytest.fixture(scope="session")
def workers():
    """Two processes for what runs notebooks: nbgrader changes its folder, so it cannot do two things at once in one."""
    pool = ProcessPoolExecutor(2, get_context("spawn"), prepare_worker)
    yield pool
    pool.shutdown(cancel_futures=True)


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
