"""`--scheduler`: run submissions on the workers of a Dask cluster, each with a warm process and a sandbox of its own (executor.py).

On every machine with a worker: this course, set up with `pip install -e '.[cluster]'`, and bubblewrap.

    dask scheduler                                           # prints its address; on one machine
    dask worker tcp://10.0.0.5:8786 --no-nanny --nthreads 2  # on each machine, as many threads as notebooks at a time

What a worker had in hand when it died goes to another; with none left, the grader waits for the next one. Dask's connections are neither
encrypted nor protected by a password unless set up so: https://distributed.dask.org/en/stable/tls.html
"""

import hashlib
import multiprocessing
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from autograder import sandbox

ANSWER_SECONDS = 10
SETUP = "on each machine, in this course's folder: pip install -e '.[cluster]' and dask worker {address} --no-nanny"


class NoCluster(Exception):
    """There is no cluster that could grade: why, and how to mend it."""


@contextmanager
def pool(address: str, enclosed: bool) -> Iterator[tuple[Executor, int]]:
    """Give an executor whose jobs run on the workers of a cluster, and how many run at a time; raise NoCluster where none could."""
    try:
        from dask.distributed import Client, KilledWorker
    except ImportError:
        raise NoCluster("Dask is not installed here: pip install -e '.[cluster]'") from None
    try:
        client = Client(address, timeout=ANSWER_SECONDS)
    except (OSError, ValueError) as error:
        raise NoCluster(
            f"no Dask scheduler answers at {address} ({error}); dask scheduler prints its address"
        ) from None
    with client:
        check_workers(client, enclosed)
        try:
            yield client.get_executor(pure=False, retries=2), sum(client.nthreads().values())
        except KilledWorker as error:
            raise NoCluster(f"workers die one after the other ({error}); their logs may say why") from None


def check_workers(client, enclosed: bool) -> None:
    """Raise NoCluster where there is no worker, or one that could not grade as this machine would."""
    setup = SETUP.format(address=client.scheduler.address)
    answers = client.run(version_of_worker, enclosed, on_error="return")
    if not answers:
        raise NoCluster(f"the cluster has no workers; {setup}")
    here = version()
    for worker, answer in answers.items():
        if isinstance(answer, Exception):
            raise NoCluster(f"the worker at {worker} cannot grade ({answer}); {setup}")
        if answer != here:
            raise NoCluster(f"the worker at {worker} has another version of the course; bring it to this one")


def version_of_worker(enclosed: bool) -> str:
    """Return the version of the course that this worker has; raise an exception with the reason where it cannot grade."""
    if multiprocessing.current_process().daemon:
        raise NoCluster("Dask's nanny lets it start no processes; start it with --no-nanny")
    if enclosed:
        sandbox.require()
    return version()


def version() -> str:
    """Return a hash of the code that grades and that lessons import."""
    files = sorted(file for folder in ("largebatch", "autograder") for file in (sandbox.COURSE / folder).rglob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
