"""The guard of a submission: the process between the forkserver and the submission, which ends it when it must end.

usage: python -m autograder.inside.guard LIFELINE MEMORY SECONDS COMMAND …     to guard a program that is alone in its sandbox
"""

import os
import re
import select
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

SECONDS_BETWEEN_LOOKS = 0.25
MEMORY = re.compile(r"^(?:RssAnon|RssShmem|VmSwap|VmPTE):\s+(\d+) kB", re.M)
ENDED, TOO_MUCH_MEMORY, TOO_LONG = 0, 101, 102  # the status with which the guard ends, out of reach of the submission


def fork_and_watch(lifeline: int, memory: float, seconds: float, alone: bool = False) -> None:
    """Return in a child. This process never returns: it waits, ends the child with all that it has started, and then itself.

    lifeline : file descriptor whose other end is the grader's, who closes it, or dies, when the child is to end
    memory   : bytes that the processes which /proc shows here may use together
    seconds  : by the clock, after which the child is ended
    alone    : whether no other submission can be in sight, now or later
    """
    child = os.fork()
    if not child:
        os.close(lifeline)
        os.setsid()
        return
    status = ENDED
    with suppress(BaseException):
        status = watch(child, lifeline, memory, time.monotonic() + seconds, alone)
    os.kill(child, signal.SIGKILL)  # nobody has waited for it yet, so the number is still its own
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # in a namespace of its own, everything has ended with it
    os._exit(status)


def watch(child: int, lifeline: int, memory: float, end: float, alone: bool) -> int:
    """Return, with the status to end with, when the child has ended, when the grader wants it to end, or when it uses too much."""
    ended = os.pidfd_open(child)
    while not select.select([ended, lifeline], [], [], SECONDS_BETWEEN_LOOKS)[0]:
        if (alone or only_submission_in_sight()) and memory_used() > memory:
            return TOO_MUCH_MEMORY
        if time.monotonic() > end:
            return TOO_LONG
    return ENDED


def only_submission_in_sight() -> bool:
    """Tell whether /proc shows the processes of the submission only; before, it shows this one, too."""
    return not Path("/proc/self").exists()


def memory_used() -> int:
    """Return the bytes of memory in use by the processes that /proc shows."""
    texts = map(text_of, Path("/proc").glob("[0-9]*/status"))
    return 1024 * sum(int(size) for text in texts for size in MEMORY.findall(text))


def text_of(file: Path) -> str:
    """Return a file of /proc; empty where the process has ended in between."""
    try:
        return file.read_text()
    except OSError:
        return ""


if __name__ == "__main__":
    fork_and_watch(int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]), alone=True)
    os.execvp(sys.argv[4], sys.argv[4:])
