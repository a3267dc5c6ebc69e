"""Tripwires: has a submission changed what the checks rely on? They catch the plain ways; inside one interpreter nothing can catch them all.

Before and after each check, what the modules of WATCHED hold is compared with what they held before the submission ran, and the names that the
check uses with what they stand for in the lesson; and a wrong answer is checked, which must be told so. Beside that, the grader is told when code
of the submission asks Python for what others keep in their variables.
"""

import ast
import builtins
import sys
from collections.abc import Callable
from functools import cache
from types import ModuleType

COURSE = "largebatch"
WATCHED = ("builtins", "math", "linecache", "numpy", "numpy.linalg", "numpy.testing")
# PyTorch replaces some of its own functions when parts of it are imported, so of it only what checks compare with.
PARTS = {
    "torch": ("allclose", "as_tensor", "equal", "is_tensor", "isclose", "tensor"),
    "torch.Tensor": ("__array__", "__eq__", "allclose", "cpu", "detach", "equal", "float", "item", "numpy", "tolist"),
}
# What Python reports of code that looks into the variables of other code, and modules that may do it for somebody else.
PEEKING = {
    "sys._getframe",
    "sys._current_frames",
    "sys.settrace",
    "sys.setprofile",
    "gc.get_objects",
    "gc.get_referrers",
    "gc.get_referents",
}
FRAMES = {"tb_frame", "gi_frame", "cr_frame", "ag_frame"}
AGENTS = {"inspect", "ctypes"}
SHORT = {"np": "numpy", "torch": "torch", "math": "math"}  # the lessons' names for modules


class Tripwires:
    """What the checks rely on, as it was before a submission ran."""

    def __init__(self, names: dict):
        """Remember it; names: the variables of a notebook in which nothing has run yet."""
        ours = [name for name in sys.modules if name.partition(".")[0] == COURSE]
        self.spaces = {name: sys.modules[name] for name in (*WATCHED, *ours) if name in sys.modules}
        self.spaces |= {f"{name}.{key}": value for name in ours for key, value in classes(sys.modules[name])}
        if torch := sys.modules.get("torch"):
            self.spaces |= {"torch": torch, "torch.Tensor": torch.Tensor}
        self.held = {name: held(space, PARTS.get(name)) for name, space in self.spaces.items()}
        self.meant = {short: sys.modules[name] for short, name in SHORT.items() if name in sys.modules}
        for name in ("largebatch.quiz", "largebatch.check"):
            self.meant |= {key: value for key, (value, _) in self.held.get(name, {}).items() if not key.startswith("_")}
        self.meant |= {key: value for key, value in vars(builtins).items() if key not in names}
        self.meant["__builtins__"] = builtins
        self.check = self.meant.get("check")

    def caught(self, names: dict, check: str) -> list[str]:
        """Return in words what is not as it was, for a check about to run, or just run, with these variables."""
        replaced = [
            f"{space}.{key} was replaced"
            for space, before in self.held.items()
            for key, (value, inside) in before.items()
            if (now := found_in(self.spaces[space], key)) is not value or workings(now) != inside
        ]
        hidden = [
            f"the name {key} was replaced"
            for key in (*used(check), "__builtins__")
            if key in names and names[key] is not self.meant.get(key, names[key])
        ]
        return replaced + hidden + self.deaf()

    def deaf(self) -> list[str]:
        """Say so where a wrong answer is accepted."""
        try:
            if self.check:
                self.check(1.0, 2.0)
        except AssertionError:
            return []
        return ["wrong answers are accepted"] if self.check else []


def watch_for_peeking(names: dict, tell: Callable[[str], None]) -> None:
    """Call `tell`, once, when a cell looks into the variables of other code; names: the variables of the notebook. Nothing can undo this."""
    on_watch = True

    def hook(event: str, about: tuple) -> None:
        nonlocal on_watch
        peeks = (
            event in PEEKING or event.startswith("ctypes.") or (event == "object.__getattr__" and about[1] in FRAMES)
        )
        if not (on_watch and peeks):
            return
        on_watch = False  # what follows looks at frames, too
        asker = sys._getframe(1)
        while asker and asker.f_globals.get("__name__") in AGENTS:
            asker = asker.f_back
        if asker and asker.f_globals is names:
            tell(f"it looks into other code ({event})")
        else:
            on_watch = True

    sys.addaudithook(hook)


def classes(module: ModuleType) -> list[tuple[str, type]]:
    """Return the classes that a module defines."""
    return [
        (key, value)
        for key, value in vars(module).items()
        if getattr(value, "__module__", "") == module.__name__ and isinstance(value, type)
    ]


def held(space: ModuleType | type, names: tuple[str, ...] | None) -> dict[str, tuple]:
    """Return the functions, classes and modules that a module or class holds, or those of these names, each with its workings."""
    found = {key: found_in(space, key) for key in names or vars(space)}
    return {
        key: (value, workings(value))
        for key, value in found.items()
        if callable(value) or isinstance(value, ModuleType)
    }


def found_in(space: ModuleType | type, name: str) -> object:
    """Return what a module or class holds under a name, else what the class inherits."""
    return vars(space)[name] if name in vars(space) else getattr(space, name, None)


def workings(value) -> list[int]:
    """Return what identifies the code and the default values of a function, which can be exchanged while the function stays the same."""
    parts = [getattr(value, "__code__", None), *(getattr(value, "__defaults__", None) or ())]
    return [id(part) for part in (*parts, *(getattr(value, "__kwdefaults__", None) or {}).values())]


@cache
def used(source: str) -> set[str]:
    """Return the names that a cell uses and does not set itself."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)]
    return {node.id for node in nodes} - {node.id for node in nodes if not isinstance(node.ctx, ast.Load)}
