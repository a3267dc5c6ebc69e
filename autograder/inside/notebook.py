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

from autograder.inside import enclosure, guard, shell, tripwires

PATIENCE = 3  # interrupts, a second apart, after which a cell that ignores them ends the submission
CHECK_FILE = "<check>"
SHELL = shell.make_shell()  # once, before the forks
WIRES = tripwires.Tripwires(SHELL.user_ns)


class TimeLimit(BaseException):
    """A cell took longer than it may; no Exception, so that `except Exception` does not swallow it."""


def run(results: Connection, lifeline: Connection, folder: str, job: dict) -> None:
    """Run a submission in this process, a child of the forkserver, and report to the grader.

    results  : gets {"cell": index, "outputs": […], "count": number, "seconds": of the processor} for each cell that ran, as JSON, and in the
               end {"tampered": what a tripwire caught, in words}; {"fault": …} where it could not even be prepared
    lifeline : its closing ends everything
    folder   : where to work outside of the sandbox
    job      : {"cells": [{"index", "source", "check": bool, "hidden": bool}], "files": {name: hexadecimal}, "enclosed": bool, "limits": {…}}
    """
    try:
        prepare(lifeline, folder, job)
    except Exception as error:  # a fault of this machine, for which no submission must pay
        results.send_bytes(json.dumps({"fault": f"{type(error).__name__}: {error}"}).encode())
        os._exit(1)
    keep_only(results.fileno())
    Submission(results, job["limits"]).run(job["cells"])
    os._exit(0)  # without what a submission may have left to be done at the end


def prepare(lifeline: Connection, folder: str, job: dict) -> None:
    """Return in a process that is guarded, shut in, and has the files of the submission about it."""
    limits, enclosed = job["limits"], job["enclosed"]
    own = enclosure.leave_host() if enclosed else None
    guard.fork_and_watch(lifeline.fileno(), limits["memory"] if enclosed else float("inf"))
    if enclosed:
        enclosure.enter(own, limits)
    else:
        os.chdir(folder)
    for name, content in job["files"].items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(bytes.fromhex(content))
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

    def __init__(self, results: Connection, limits: dict):
        self.results, self.limits = results, limits
        self.count = 0
        self.tampered: list[str] = []

    def run(self, cells: list[dict]) -> None:
        """Run the cells and report on each, then on what the tripwires caught."""
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for kind in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(kind, self.interrupt)
        for cell in cells:
            self.run_cell(cell)
        self.results.send_bytes(json.dumps({"tampered": self.tampered}).encode())

    def run_cell(self, cell: dict) -> None:
        """Run one cell within its time and report on it."""
        self.cell, self.interrupts, self.count = cell, 0, self.count + 1
        self.start = time.process_time()
        SHELL.outputs = shell.Outputs(self.limits["output_bytes"])
        try:
            self.set_timers(self.limits["cell_seconds"])
            error = self.run_check(cell) if cell["check"] else self.run_plain(cell["source"])
        except BaseException as late:  # an interrupt that came between the cell and here
            error = late
        self.set_timers(0)
        if error is not None and not any(output["output_type"] == "error" for output in SHELL.outputs):
            SHELL.outputs.append(shell.error_output(type(error).__name__, str(error)))
        self.report()

    def report(self) -> None:
        """Tell the grader what the cell has shown."""
        spent = time.process_time() - self.start
        result = {"cell": self.cell["index"], "outputs": list(SHELL.outputs), "count": self.count, "seconds": spent}
        self.results.send_bytes(json.dumps(result).encode())

    def run_plain(self, source: str) -> BaseException | None:
        """Run a cell as JupyterLab would; return the error that ended it."""
        result = SHELL.run_cell(source, store_history=True)
        return result.error_before_exec or result.error_in_exec

    def run_check(self, cell: dict) -> BaseException | None:
        """Run a check; return the error that ended it, None where the answer is right."""
        names = SHELL.user_ns
        self.tampered += WIRES.caught(names, cell["source"])
        linecache.cache.pop(CHECK_FILE, None)
        if not cell["hidden"]:
            lines = cell["source"].splitlines(keepends=True)
            linecache.cache[CHECK_FILE] = (len(cell["source"]), None, lines, CHECK_FILE)
        try:
            exec(compile(cell["source"], CHECK_FILE, "exec"), names)
        except BaseException as error:
            SHELL.outputs.append(error_output(error))
            return error
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
        SHELL.outputs = shell.Outputs(0)
        SHELL.outputs.append(shell.error_output("TimeLimit", message))
        self.report()
        os._exit(1)


def error_output(error: BaseException) -> dict:
    """Return the output of a check that an error has ended, with the lines that JupyterLab would show."""
    name, message = type(error).__name__, str(error)
    try:
        lines = error._render_traceback_() if hasattr(error, "_render_traceback_") else shown_by_ipython(error)
    except Exception:  # the error is of a class of the submission's own
        lines = None
    return shell.error_output(name, message, lines)


def shown_by_ipython(error: BaseException) -> list[str]:
    """Return the traceback as IPython shows it, without the frame of this module."""
    place = error.__traceback__.tb_next if error.__traceback__ else None
    return SHELL.InteractiveTB.structured_traceback(type(error), error, place)
