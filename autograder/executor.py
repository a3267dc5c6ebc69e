"""Run submissions in forks of one warm process: it has imported what the lesson imports, so a submission starts in milliseconds.

The warm process is the standard library's forkserver, started in bubblewrap (sandbox.py). Each submission is a child of it, which shuts itself in
once more and sends back what each cell shows (inside/). Many threads may call `execute` at once: each waits for its child. So may a process of a
Dask cluster, which then has a warm process of its own; all that goes in and comes out is plain data.
"""

import functools
import json
import multiprocessing
import shlex
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass, field
from multiprocessing import spawn
from multiprocessing.connection import Connection
from pathlib import Path

from autograder import inside, sandbox

SHOWN = {"stream", "display_data", "execute_result", "error"}  # the kinds of output there are
KEPT = {
    "text/plain",
    "image/png",
}  # of what is displayed; markup of a submission would run in the browser of whoever reads it
GRACE = 10  # seconds beyond a limit after which a submission that does not end itself is ended


@dataclass(frozen=True)
class Limits:
    """What one submission may use.

    cell_seconds     : of the processor, for one cell
    waiting_factor   : a cell may take this many times longer by the clock, as when many wait for a processor
    notebook_seconds : by the clock, for all cells; of the processor, for each process
    memory           : bytes, of all its processes together
    file_bytes       : of one file, and of each of its folders in memory
    output_bytes     : of what one cell shows
    processes        : at one time, threads among them
    """

    cell_seconds: float = 120
    waiting_factor: float = 4
    notebook_seconds: int = 1800
    memory: int = 6 * 2**30
    file_bytes: int = 256 * 2**20
    output_bytes: int = 1_000_000
    processes: int = 256


@dataclass(frozen=True)
class Job:
    """A submission to run.

    cells   : {"index": in the notebook, "source", "check": is it one, "hidden": does it hold hidden tests}
    files   : what it needs beside it, by name, hexadecimal
    modules : what the warm process imports
    """

    cells: list[dict]
    files: dict[str, str]
    modules: tuple[str, ...]
    limits: Limits
    enclosed: bool = True


@dataclass
class Executed:
    """What came of it.

    outputs  : of each cell that ran, by its index in the notebook, in the notebook format
    seconds  : of the processor, for each of them
    reason   : why not all ran; empty where all did
    tampered : what the tripwires caught, in words
    finished : whether it ran to its end
    """

    outputs: dict[int, list[dict]] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)
    reason: str = ""
    tampered: list[str] = field(default_factory=list)
    finished: bool = False


LOCK = threading.Lock()
ENDED = "Python ended: the memory ran out, or a cell ended it (exit(), os._exit)"


class Fault(Exception):
    """A submission could not be run, for which it cannot be blamed."""


class Broken(Exception):
    """A submission sent what the runner inside does not send: it has got hold of the pipe."""


# -- the warm process ------------------------------------------------------------------------------------------------------------


@functools.cache
def program(enclosed: bool) -> str:
    """Return the path of a program that starts Python in the outer sandbox, or with the same environment outside of one."""
    if enclosed:
        sandbox.require()
    path = Path(tempfile.mkdtemp(prefix="grading-"), "python")
    command = sandbox.command() if enclosed else sandbox.open_command()
    path.write_text(f'#!/bin/sh\nexec {shlex.join([*command, sys.executable])} "$@"\n')
    path.chmod(0o700)
    return str(path)


def start(job: Job, *arguments) -> multiprocessing.process.BaseProcess:
    """Start a child of the warm process with a job; start that first where it does not run yet (seconds).

    The standard library would tell the child this program's path, arguments and folder, none of which are there in the sandbox.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*job.modules, "autograder.inside.notebook"])
    process = context.Process(target=inside.run, args=(*arguments, asdict(job)))
    with LOCK:
        executable, preparation = spawn.get_executable(), spawn.get_preparation_data
        try:
            multiprocessing.set_executable(program(job.enclosed))
            spawn.get_preparation_data = lambda _name: {}
            process.start()
        finally:
            spawn.get_preparation_data = preparation
            multiprocessing.set_executable(executable)
    return process


OPEN: set[Connection] = set()  # the lifelines of the children there are


def stop() -> None:
    """End all children at once."""
    for lifeline in list(OPEN):
        lifeline.close()


# -- one submission --------------------------------------------------------------------------------------------------------------


def execute(job: Job) -> Executed:
    """Run a submission and return what came of it, whatever it does; once more where Python ended, as something else may have ended it."""
    done = attempt(job)
    return done if done.reason != ENDED else attempt(job)


def attempt(job: Job) -> Executed:
    """Run a submission in a child of the warm process."""
    reader, results = multiprocessing.Pipe(duplex=False)
    lifeline, ours = multiprocessing.Pipe(duplex=False)
    OPEN.add(ours)
    with tempfile.TemporaryDirectory(prefix="submission-") as folder, reader, ours:
        try:
            process = start(job, results, lifeline, folder)
        except (EOFError, ConnectionError):  # the warm process has ended meanwhile; the next attempt starts a new one
            return Executed(reason=ENDED)
        finally:
            results.close()
            lifeline.close()
        try:
            return collect(reader, job)
        finally:
            OPEN.discard(ours)
            ours.close()  # ends the child, and all that it has started
            process.join()


def collect(reader: Connection, job: Job) -> Executed:
    """Return what a child reports until it is done, ends, or takes too long."""
    done, limits = Executed(), job.limits
    end = time.monotonic() + limits.notebook_seconds
    cell_time = limits.cell_seconds * limits.waiting_factor + GRACE
    try:
        while not done.finished:
            if not reader.poll(min(cell_time, end - time.monotonic())):
                done.reason = "it took too long and was stopped"
                break
            keep(json.loads(reader.recv_bytes(20 * limits.output_bytes)), done, job)
    except EOFError:
        done.reason = ENDED
    except (OSError, ValueError, KeyError, TypeError, AttributeError, Broken) as error:
        done.reason = f"what it reported cannot be read ({type(error).__name__})"
    return done


def keep(message: dict, done: Executed, job: Job) -> None:
    """Keep one message of a child, of which nothing is believed; raise Broken where it cannot be one of the runner's."""
    if "fault" in message and not done.outputs:
        raise Fault(message["fault"])
    if "cell" not in message:
        done.tampered += sorted({str(what)[:200] for what in message["tampered"]})
        done.finished = True
        return
    expected = job.cells[len(done.outputs)]
    if message["cell"] != expected["index"]:
        raise Broken
    outputs = [shown(output) for output in message["outputs"]]
    if expected["check"] and any(output["output_type"] == "execute_result" for output in outputs):
        done.tampered.append("a result was published in a check")  # which nbgrader would take for points
        outputs = [output for output in outputs if output["output_type"] != "execute_result"]
    done.outputs[expected["index"]] = outputs
    done.seconds[expected["index"]] = float(message["seconds"])


def shown(output: dict) -> dict:
    """Return an output with only what a notebook may hold and a reader's browser does not run."""
    kind = output["output_type"]
    if kind == "stream":
        return {"output_type": kind, "name": "stdout", "text": str(output["text"])}
    if kind == "error":
        lines = [str(line) for line in output["traceback"]]
        return {"output_type": kind, "ename": str(output["ename"]), "evalue": str(output["evalue"]), "traceback": lines}
    if kind not in SHOWN:
        raise Broken
    data = {key: str(value) for key, value in output["data"].items() if key in KEPT}
    count = {"execution_count": None} if kind == "execute_result" else {}
    return {"output_type": kind, "data": data, "metadata": {}, **count}
