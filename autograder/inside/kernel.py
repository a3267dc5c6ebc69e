"""What the grader asks of an IPython kernel (`--kernel`): to take what a submission needs, and to look at the tripwires.

Here checks run in IPython as all cells do, so the hooks that could change one on its way are watched too.
"""

import importlib
from contextlib import suppress

from IPython import get_ipython

from autograder import inside
from autograder.inside.tripwires import Tripwires, watch_for_peeking

KERNELS_OWN = "input"  # a kernel gives builtins.input another value for every cell

WIRES: Tripwires
HOOKS: list
PEEKED: list[str] = []


def prepare(files: dict[str, str], modules: list[str]) -> None:
    """Put the files in place, import what the lesson imports, and set the tripwires, in which the submission would otherwise stand."""
    global WIRES, HOOKS
    inside.unpack(files)
    for name in modules:
        with suppress(ImportError):
            importlib.import_module(name)
    WIRES, HOOKS = Tripwires(get_ipython().user_ns), hooks()
    del WIRES.held["builtins"][KERNELS_OWN]
    watch_for_peeking(get_ipython().user_ns, PEEKED.append)


def caught(check: str) -> list[str]:
    """Return in words what is not as it was, for a check about to run, or just run."""
    changed = ["IPython's hooks were changed"] if hooks() != HOOKS else []
    return WIRES.caught(get_ipython().user_ns, check) + changed + PEEKED


def hooks() -> list:
    """Return what IPython does to a cell before it runs."""
    shell = get_ipython()
    before = (shell.events.callbacks[event] for event in ("pre_execute", "pre_run_cell"))
    return [list(found) for found in (*before, shell.ast_transformers, shell.input_transformers_post)]
