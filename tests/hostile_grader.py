"""Grade the course in the current folder with short limits, and say which processes are left when the grader has ended.

usage: python tests/hostile_grader.py LESSON [--no-sandbox]     (by test_hostile.py, so that its own children are not counted)

The last line is a JSON list of the command lines of what is left after ten seconds.
"""

import ctypes
import functools
import json
import subprocess
import sys
import time

import psutil

ADOPT_ORPHANS = (
    36  # PR_SET_CHILD_SUBREAPER of prctl(2): whatever the grader leaves behind becomes a child of this process
)


def main() -> int:
    """Run the grader in a process of its own and report on what it leaves."""
    ctypes.CDLL(None).prctl(ADOPT_ORPHANS, 1)
    status = subprocess.run([sys.executable, __file__, "grade", *sys.argv[1:]]).returncode
    end = time.monotonic() + 10
    while (left := living()) and time.monotonic() < end:
        time.sleep(0.1)
    print(json.dumps(left))
    return status


def living() -> list[str]:
    """Return the command lines of the processes below this one, apart from those that have ended."""
    below = psutil.Process().children(recursive=True)
    return [" ".join(process.cmdline()) for process in below if process.status() != psutil.STATUS_ZOMBIE]


def grade() -> int:
    """Run the real command with limits of seconds."""
    from autograder import executor
    from autograder import grade as command

    executor.GRACE = 4
    command.Limits = functools.partial(
        executor.Limits, waiting_factor=4, notebook_seconds=30, memory=2**30, file_bytes=2**25, processes=64
    )
    return command.main()


if __name__ == "__main__":
    if sys.argv[1] == "grade":
        del sys.argv[1]
        sys.exit(grade())
    sys.exit(main())
