"""The helper behind every check of the course: compare an answer with what is expected and name the mistake it equals.

    check(tokens_per_step(8, 2, 128, 2048), 4_194_304, unit="tokens", mistakes={"these are sequences: …": 2048})

A right answer prints one line. A wrong one raises WrongAnswer, which JupyterLab shows as three lines: expected, got, likely cause.
Numbers may be int, float, NumPy or PyTorch scalars; sequences may be lists, tuples, arrays or tensors. PyTorch is never imported here.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction

import numpy as np


class WrongAnswer(AssertionError):
    """An answer that is not right: what was expected, what came, and the likely cause."""

    def __init__(self, expected: str, got: str, cause: str = ""):
        rows = {"expected": expected, "got": got, "likely cause": cause}
        lines = [f"  {name:14}{text.replace(chr(10), chr(10) + ' ' * 16)}" for name, text in rows.items() if text]
        super().__init__("\n".join(["not yet", *lines]))

    def _render_traceback_(self):
        """Show the learner these lines only (IPython looks for this method): a traceback would point into the checks."""
        return str(self).splitlines()


def check(got, expected, *, what="", unit="", rtol=1e-6, atol=0.0, mistakes: Mapping | None = None) -> None:
    """Compare an answer with the expected value; raise WrongAnswer where they differ.

    got, expected : number, sequence of numbers, array or tensor
    what          : the name of the quantity or of the case under test, for the message
    unit          : of the quantity, such as "tokens"
    rtol, atol    : relative and absolute tolerance, as in numpy.isclose
    mistakes      : {likely cause: the wrong value that it gives}, tried in this order
    """
    target, label = as_array(expected), f" ({what})" if what else ""
    wanted = f"{shown(target)} {unit}".rstrip() + label
    try:
        answer = as_array(got)
    except (TypeError, ValueError):
        raise WrongAnswer(wanted, described(got), cause_of_type(got)) from None
    if answer.shape != target.shape:
        raise WrongAnswer(wanted, described(got), f"{shaped(target)} is asked for, this is {shaped(answer)}")
    if np.allclose(answer, target, rtol=rtol, atol=atol):
        print(f"right: {wanted}")
        return
    for cause, value in (mistakes or {}).items():
        if answer.shape == np.shape(value) and np.allclose(
            answer, as_array(value), rtol=rtol, atol=atol, equal_nan=True
        ):
            raise WrongAnswer(wanted, shown(answer), cause)
    raise WrongAnswer(wanted, shown(answer), "" if np.all(np.isfinite(answer)) else "a division by zero or an overflow")


def check_raises(error: type[Exception], function: Callable, *arguments, because: str) -> None:
    """Check that function(*arguments) raises the error; `because` says in words why it must."""
    try:
        got = function(*arguments)
    except NotImplementedError:  # the exercise is not answered yet
        raise
    except error:
        print(f"right: {error.__name__}, because {because}")
    except Exception as other:
        raise WrongAnswer(f"{error.__name__}, because {because}", f"{type(other).__name__}: {other}") from None
    else:
        raise WrongAnswer(f"{error.__name__}, because {because}", described(got), "the impossible case is not caught")


def as_array(value) -> np.ndarray:
    """Return a number, sequence, array or tensor as a float array; raise TypeError or ValueError for anything else."""
    if hasattr(value, "detach"):  # a PyTorch tensor, perhaps with a gradient or on a GPU
        value = value.detach().cpu()
        value = (value.float() if str(value.dtype) == "torch.bfloat16" else value).numpy()
    if isinstance(value, list | tuple):
        value = [as_array(entry) for entry in value]
    if value is None or isinstance(value, str | bytes | bool):
        raise TypeError("not a number")
    array = np.asarray(float(value) if isinstance(value, int | Decimal | Fraction) else value)
    if array.dtype.kind not in "iuf":
        raise TypeError("not a number")
    return array.astype(float)


def cause_of_type(got) -> str:
    """Say why this object cannot be compared with a number."""
    if got is None:
        return "the function ends without `return`"
    if callable(got):
        return "this is a function that was not called: add ()"
    return "a number, list or array of numbers is asked for"


def shown(array: np.ndarray) -> str:
    """Return numbers as a learner would write them: whole ones in full, others with six digits, large arrays by their start."""
    if array.ndim == 0:
        value = float(array)
        return f"{int(value):,}" if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"
    if array.size <= 8:
        return f"[{', '.join(shown(entry) for entry in array)}]"
    start = ", ".join(shown(entry) for entry in array.ravel()[:3])
    return f"[{start}, …], an array of shape {array.shape}"


def shaped(array: np.ndarray) -> str:
    """Return the shape in words."""
    return "one number" if array.ndim == 0 else f"an array of shape {array.shape}"


def described(got) -> str:
    """Return any object in one line, with its type where it is not a number."""
    try:
        return shown(as_array(got))
    except (TypeError, ValueError):
        text = repr(got)
        return f"{text if len(text) < 80 else text[:77] + '…'} ({type(got).__name__})" if got is not None else "None"
