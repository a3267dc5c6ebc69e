"""Run the cells of one submission and report what each shows, cell by cell, so that what has run is kept whatever happens next.

Answers and all other cells run in IPython, as in JupyterLab. Checks run in plain Python: no hook, transformer or display of IPython's that a
submission may have changed stands between a check and its verdict, and no history of IPython's holds the text of a check.
"""

import json
import linecache
import os
import signal
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

from autograder import inside
from autograder.inside import enclosure, guard, shell, tripwires

PATIENCE = 3  # interrupts, a second apart, after which a cell that ignores them ends the submission
CHECK_FILE = "<check>"
SHELL = shell.make_shell()  # once, before the forks
WIRES = tripwires.Tripwires(SHELL.user_ns)


class TimeLimit(BaseException):
    """A cell took longer than it may; no Exception, so that `except Exception` does not swallow it."""


def run(results: Connection, lifeline: Connection, folder: str, job: dict) -> None:
    """Run a submission in this process, a child of the forkserver, and report to the grader, in JSON after the key of the job.

    results  : gets {"ready": true} or {"fault": why it could not even be prepared}; then, for each cell that ran, {"cell": index, "outputs":
               […], "error": the output of the error that ended it or null, "seconds": of the processor, "tampered": what a tripwire caught, in
               words}; in the end {"finished": true}, or false where a cell went on after its time
    lifeline : its closing ends everything
    folder   : where to work outside of the sandbox
    job      : {"key": str, "cells": [{"index", "source", "check": bool, "hidden": bool}], "files": {name: hexadecimal}, "enclosed": bool,
               "limits": {…}}
    """
    key = job.pop("key").encode()
    try:
        prepare(lifeline, folder, job)
    except Exception as error:  # a fault of this machine, for which no submission must pay
        send(results, key, {"fault": f"{type(error).__name__}: {error}"})
        os._exit(1)
    keep_only(results.fileno())
    Submission(results, key, job["limits"]).run(job["cells"])
    os._exit(0)  # without what a submission may have left to be done at the end


def send(results: Connection, key: bytes, message: dict) -> None:
    """Send a message to the grader."""
    results.send_bytes(key + json.dumps(message).encode())


def prepare(lifeline: Connection, folder: str, job: dict) -> None:
    """Return in a process that is guarded, shut in, and has the files of the submission about it."""
    limits, enclosed = job["limits"], job["enclosed"]
    own = enclosure.leave_host() if enclosed else None
    guard.fork_and_watch(lifeline.fileno(), limits["memory"] if enclosed else float("inf"), limits["notebook_seconds"])
    if enclosed:
        enclosure.enter(own, limits)
    else:
        os.chdir(folder)
    inside.unpack(job["files"])
    sys.path.insert(0, str(Path.cwd()))


def keep_only(results: int) -> None:
    """Leave this process no open file but the one for the results; what is written past Python goes nowhere, standard input is empty."""
    most = os.sysconf("SC_OPEN_MAX")
    os.closerange(3, results)
    os.closerange(results + 1, most)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    os.close(nothing)


class Submission:
    """One run of the cells of a submission."""

    def __init__(self, results: Connection, key: bytes, limits: dict):
        self.results, self.key, self.limits = results, key, limits
        self.process = os.getpid()

    def tell(self, **message) -> None:
        """Send a message to the grader; a copy of this process, made by an answer that forks, has nothing to tell and ends."""
        if os.getpid() != self.process:
            os._exit(0)
        send(self.results, self.key, message)

    def run(self, cells: list[dict]) -> None:
        """Run the cells and report on each."""
        for name in [name for name in sys.modules if name.partition(".")[0] == "autograder"]:
            del sys.modules[name]  # nothing in there is to be found by an import
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for kind in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(kind, self.interrupt)
        self.tell(ready=True)
        tripwires.watch_for_peeking(SHELL.user_ns, lambda what: self.tell(tampered=[what]))
        for cell in cells:
            self.run_cell(cell)
        self.tell(finished=True)

    def run_cell(self, cell: dict) -> None:
        """Run one cell within its time and report on it."""
        self.cell, self.interrupts, self.start = cell, 0, time.process_time()
        self.outputs = SHELL.outputs = shell.Outputs(self.limits["output_bytes"])
        self.tampered = []
        try:
            self.set_timers(self.limits["cell_seconds"])
            error = self.run_check(cell) if cell["check"] else self.run_plain(cell["source"])
        except BaseException as late:  # an interrupt that came between the cell and here
            error = shell.error_output(*shell.described(late))
        self.set_timers(0)
        self.report(error)

    def report(self, error: dict | None) -> None:
        """Tell the grader what the cell has shown, and the error that ended it."""
        spent = time.process_time() - self.start
        about = {"cell": self.cell["index"], "seconds": spent, "tampered": self.tampered}
        self.tell(**about, outputs=list(self.outputs), error=error)

    def run_plain(self, source: str) -> dict | None:
        """Run a cell as JupyterLab would, which shows an error among the outputs; return one that it could not show."""
        result = SHELL.run_cell(source, store_history=True)
        error = result.error_before_exec or result.error_in_exec
        is_shown = error is None or any(output["output_type"] == "error" for output in self.outputs)
        return None if is_shown else shell.error_output(*shell.described(error))

    def run_check(self, cell: dict) -> dict | None:
        """Run a check; return the output of the error that ended it, None where the answer is right."""
        names = SHELL.user_ns
        self.tampered = WIRES.caught(names, cell["source"])
        linecache.cache.pop(CHECK_FILE, None)
        if not cell["hidden"]:
            lines = cell["source"].splitlines(keepends=True)
            linecache.cache[CHECK_FILE] = (len(cell["source"]), None, lines, CHECK_FILE)
        try:
            exec(compile(cell["source"], CHECK_FILE, "exec"), names)
        except BaseException as error:
            return error_output(error)
        finally:
            self.tampered += WIRES.caught(names, cell["source"])
        return None

    # -- time ----------------------------------------------------------------------------------------------------------------------

    def set_timers(self, seconds: float) -> None:
        """Interrupt after this many seconds of the processor, which do not depend on what else runs, or after many more of waiting; 0: never."""
        signal.setitimer(signal.ITIMER_PROF, seconds, 1)
        signal.setitimer(signal.ITIMER_REAL, seconds * self.limits["waiting_factor"], 1)

    def interrupt(self, *_signal) -> None:
        """End the cell; where it goes on in spite of that, end the submission."""
        self.interrupts += 1
        message = (
            f"this cell was stopped after {self.limits['cell_seconds']:g} seconds of computing, or many more of waiting: "
            "is there a loop without an end?"
        )
        if self.interrupts <= PATIENCE:
            raise TimeLimit(message)
        self.set_timers(0)
        self.outputs = []
        self.report(shell.error_output("TimeLimit", message))
        self.tell(finished=False)
        os._exit(1)


def error_output(error: BaseException) -> dict:
    """Return the output of a check that an error has ended, with the lines that JupyterLab would show."""
    name, message = shell.described(error)
    try:
        lines = error._render_traceback_() if hasattr(error, "_render_traceback_") else shown_by_ipython(error)
        return shell.error_output(name, message, lines)
    except Exception:  # the error is of a class of the submission's own
        return shell.error_output(name, message)


def shown_by_ipython(error: BaseException) -> list[str]:
    """Return the traceback as IPython shows it, without the frame of this module."""
    place = error.__traceback__.tb_next if error.__traceback__ else None
    return SHELL.InteractiveTB.structured_traceback(type(error), error, place)
