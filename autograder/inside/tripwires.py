"""Tripwires: has a submission changed what the checks rely on? They catch the plain ways; inside one interpreter nothing can catch them all.

Before and after each check, what the modules of WATCHED hold is compared with what they held before the submission ran, and the names that the
check uses with what they stand for in the lesson.
"""

import ast
import builtins
import sys
from functools import cache
from types import ModuleType

COURSE = "largebatch"
WATCHED = ("builtins", "math", "linecache", "numpy", "numpy.linalg", "numpy.testing")
# PyTorch replaces some of its own functions when parts of it are imported, so of it only what checks compare with.
PARTS = {
    "torch": ("allclose", "as_tensor", "equal", "is_tensor", "isclose", "tensor"),
    "torch.Tensor": ("__array__", "__eq__", "allclose", "cpu", "detach", "equal", "float", "item", "numpy", "tolist"),
}
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

    def caught(self, names: dict, check: str) -> list[str]:
        """Return in words what is not as it was, for a check about to run, or just run, with these variables."""
        replaced = [
            f"{space}.{key}"
            for space, before in self.held.items()
            for key, (value, code) in before.items()
            if (now := found_in(self.spaces[space], key)) is not value or code_of(now) is not code
        ]
        hidden = [
            f"the name {key}"
            for key in used(check)
            if key in names and names[key] is not self.meant.get(key, names[key])
        ]
        return [f"{what} was replaced" for what in replaced + hidden]


def classes(module: ModuleType) -> list[tuple[str, type]]:
    """Return the classes that a module defines."""
    return [
        (key, value)
        for key, value in vars(module).items()
        if getattr(value, "__module__", "") == module.__name__ and isinstance(value, type)
    ]


def held(space: ModuleType | type, names: tuple[str, ...] | None) -> dict[str, tuple]:
    """Return the functions and classes of a module or class, or those of these names, each with its code."""
    found = {key: found_in(space, key) for key in names or vars(space)}
    return {key: (value, code_of(value)) for key, value in found.items() if callable(value)}


def found_in(space: ModuleType | type, name: str) -> object:
    """Return what a module or class holds under a name, else what the class inherits."""
    return vars(space)[name] if name in vars(space) else getattr(space, name, None)


def code_of(value) -> object:
    """Return the code of a function, which can be exchanged while the function stays the same; None for anything else."""
    return getattr(value, "__code__", None)


@cache
def used(source: str) -> set[str]:
    """Return the names that a cell uses and does not set itself."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)]
    return {node.id for node in nodes} - {node.id for node in nodes if not isinstance(node.ctx, ast.Load)}
