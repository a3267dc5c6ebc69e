"""Run submissions in forks of one warm process: it has imported what the lesson imports, so a submission starts in milliseconds.

The warm process is the standard library's forkserver, started in bubblewrap (sandbox.py). Each submission is a child of it, which shuts itself in
once more and sends back what each cell shows (inside/). Many threads may call `execute` at once: each waits for its child. So may a process of a
Dask cluster, which then has a warm process of its own; all that goes in and comes out is plain data.
"""

import functools
import json
import multiprocessing
import re
import secrets
import shlex
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from multiprocessing import spawn
from multiprocessing.connection import Connection
from pathlib import Path

from autograder import inside, sandbox
from autograder.inside.guard import TOO_LONG, TOO_MUCH_MEMORY
from autograder.inside.shell import BESIDE, KEPT

SHOWN = {"stream", "display_data", "execute_result", "error"}  # the kinds of output there are
BASE64 = re.compile(r"[A-Za-z0-9+/=\s]*")
MOST_TAMPERED = 10  # of what the tripwires caught, as much as anybody reads
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
    ready    : whether it began: what was wrong before is none of its doing
    finished : whether it ran to its end
    """

    outputs: dict[int, list[dict]] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)
    reason: str = ""
    tampered: list[str] = field(default_factory=list)
    ready: bool = False
    finished: bool = False


LOCK = threading.Lock()
ENDED = "Python ended: a cell ended it (os._exit, a signal), or a library crashed"
SLOW = "it took too long and was stopped"
STUBBORN = "a cell went on after it was told to stop"
GARBLED = "what it reported cannot be read"
MEDDLED = "something else than the grader has reported on it"


class Fault(Exception):
    """A submission could not be run, for which it cannot be blamed."""


class Broken(Exception):
    """A submission sent what the runner inside does not send: it has got hold of the pipe."""


# -- the warm process ------------------------------------------------------------------------------------------------------------


@functools.cache
def folder() -> tempfile.TemporaryDirectory:
    """Return a folder that is there until this process ends."""
    return tempfile.TemporaryDirectory(prefix="grading-")


@functools.cache
def program(enclosed: bool) -> str:
    """Return the path of a program that starts Python in the outer sandbox, or with the same environment outside of one."""
    if enclosed:
        sandbox.require()
    path = Path(folder().name, "enclosed" if enclosed else "open")
    command = sandbox.command() if enclosed else sandbox.open_command()
    path.write_text(f'#!/bin/sh\nexec {shlex.join([*command, sys.executable])} "$@"\n')
    path.chmod(0o700)
    return str(path)


def start(job: Job, key: str, *arguments) -> multiprocessing.process.BaseProcess:
    """Start a child of the warm process with a job; start that first where it does not run yet (seconds).

    The standard library would tell the child this program's path, arguments and folder, none of which are there in the sandbox.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*job.modules, "autograder.inside.notebook"])
    process = context.Process(target=inside.run, args=(*arguments, {**asdict(job), "key": key}))
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
STOPPED = threading.Event()


def stop() -> None:
    """End all children at once, and begin no other attempt."""
    STOPPED.set()
    for lifeline in list(OPEN):
        lifeline.close()


# -- one submission --------------------------------------------------------------------------------------------------------------


def execute(job: Job) -> Executed:
    """Run a submission and return what came of it, whatever it does."""
    return twice(attempt, job)


def twice(attempt: Callable[[Job], Executed], job: Job) -> Executed:
    """Run a submission; once more where Python ended, as something else may have ended it."""
    done = attempt(job)
    return attempt(job) if done.reason == ENDED and not STOPPED.is_set() else done


def attempt(job: Job) -> Executed:
    """Run a submission in a child of the warm process."""
    reader, results = multiprocessing.Pipe(duplex=False)
    lifeline, ours = multiprocessing.Pipe(duplex=False)
    key = secrets.token_hex()
    OPEN.add(ours)
    with tempfile.TemporaryDirectory(prefix="submission-") as folder, reader, ours:
        try:
            process = start(job, key, results, lifeline, folder)
        except (EOFError, ConnectionError):  # the warm process has ended meanwhile; the next attempt starts a new one
            return Executed(reason=ENDED)
        finally:
            results.close()
            lifeline.close()
        try:
            done = collect(reader, key.encode(), job)
        finally:
            OPEN.discard(ours)
            ours.close()  # ends the child, and all that it has started
            process.join()
    done.reason = reason_of_guard(process.exitcode, job.limits) or done.reason
    return done


def reason_of_guard(status: int | None, limits: Limits) -> str:
    """Return why the guard, which ended with this status, has ended a submission; empty where it has not."""
    memory = f"it used more than {limits.memory / 2**30:.3g} GiB of memory and was stopped"
    return {TOO_MUCH_MEMORY: memory, TOO_LONG: SLOW}.get(status, "")


def collect(reader: Connection, key: bytes, job: Job) -> Executed:
    """Return what a child reports until it is done, ends, or takes too long."""
    done, limits = Executed(), job.limits
    end = time.monotonic() + limits.notebook_seconds
    cell_time = limits.cell_seconds * limits.waiting_factor + GRACE
    try:
        while not (done.finished or done.reason):
            if reader.poll(min(cell_time, end - time.monotonic())):
                keep(message(reader, key, limits), done, job)
            else:
                done.reason = SLOW
    except EOFError:
        done.reason = ENDED
    except Fault:
        raise
    except OSError:  # it ended within a message
        done.reason = GARBLED
    except Exception:  # of any kind, as it may have sent anything
        done.reason = GARBLED
        done.tampered.append(MEDDLED)
    return done


def message(reader: Connection, key: bytes, limits: Limits) -> dict:
    """Return the next message of a child; raise Broken where it does not begin with the key of its job."""
    received = reader.recv_bytes(20 * limits.output_bytes)
    if not received.startswith(key):
        raise Broken
    return json.loads(received.removeprefix(key))


def keep(message: dict, done: Executed, job: Job) -> None:
    """Keep one message of a child, of which nothing is believed; raise an error of any kind where it cannot be one of the runner's."""
    if not done.ready:
        if "fault" in message:
            raise Fault(str(message["fault"]))
        done.ready = message["ready"]
        return
    said = [readable(what) for what in message.get("tampered", ())]
    done.tampered = list(dict.fromkeys(done.tampered + said))[:MOST_TAMPERED]
    if "cell" in message:
        keep_cell(message, job.cells[len(done.outputs)], done, job.limits)
    elif "finished" in message:
        done.finished = bool(message["finished"])
        done.reason = "" if done.finished else STUBBORN


def keep_cell(message: dict, expected: dict, done: Executed, limits: Limits) -> None:
    """Keep what a cell has shown; raise Broken where it is not the cell that comes next, or has shown more than it can have."""
    outputs = [shown(output) for output in message["outputs"] + ([message["error"]] if message["error"] else [])]
    size = sum(BESIDE + len(json.dumps(output, ensure_ascii=False)) for output in outputs)
    if message["cell"] != expected["index"] or size > 3 * limits.output_bytes + 100_000:
        raise Broken
    if expected["check"] and any(output["output_type"] == "execute_result" for output in outputs):
        done.tampered.append("a result was published in a check")  # which nbgrader would take for points
        outputs = [output for output in outputs if output["output_type"] != "execute_result"]
    done.outputs[expected["index"]] = outputs
    done.seconds[expected["index"]] = min(max(0.0, float(message["seconds"])), limits.notebook_seconds)


def shown(output: dict) -> dict:
    """Return an output with only what a notebook may hold and a reader's browser does not run."""
    kind = output["output_type"]
    if kind == "stream":
        return {"output_type": kind, "name": "stdout", "text": clean("".join(output["text"]))}
    if kind == "error":
        lines = [clean(line) for line in output["traceback"]]
        name, message = clean(output["ename"]), clean(output["evalue"])
        return {"output_type": kind, "ename": name, "evalue": message, "traceback": lines}
    if kind not in SHOWN:
        raise Broken
    data = {key: clean(output["data"][key]) for key in KEPT if key in output["data"]}
    if not BASE64.fullmatch(data.get("image/png", "")):
        del data["image/png"]
    count = {"execution_count": None} if kind == "execute_result" else {}
    return {"output_type": kind, "data": data, "metadata": {}, **count}


def readable(text) -> str:
    """Return a text in one line that a page and a terminal show as it is."""
    return "".join(character for character in clean(text)[:200] if character.isprintable() and character not in "<>&")


def clean(text) -> str:
    """Return a text that can be written as UTF-8; half of a character that is written in two becomes a question mark."""
    return str(text).encode("utf-8", "replace").decode()
