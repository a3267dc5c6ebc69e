"""A brief: what is to be trained, on what, starting from which run that is known to work, and within which limits.

    brief = read("brief.yaml")

Every number has its unit in the class below; GB = 1e9 bytes, TFLOP/s = 1e12 operations a second. A file names the same fields, section by section.
"""

import difflib
import math
import reprlib
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import get_type_hints

import yaml


@dataclass(frozen=True)
class Model:
    """A transformer; its shape decides what it keeps for the backward pass."""

    num_params: float
    num_layers: int
    width: int
    heads: int
    vocabulary: int  # tokens
    sequence_length: int  # tokens


@dataclass(frozen=True)
class Cluster:
    """GPUs, one data-parallel rank each; a plan takes whole nodes, or a part of one."""

    num_gpus: int  # at most
    gpus_per_node: int
    memory: float  # GB of a GPU that the model may use
    peak: float  # TFLOP/s of a GPU
    utilisation: float  # share of the peak that computation reaches where nothing waits for communication
    bandwidth: float  # GB/s that a GPU can send
    latency: float  # seconds a message
    price: float  # dollars for a GPU and hour


@dataclass(frozen=True)
class Known:
    """A run that is known to work: rates and warmups of other batches are derived from it."""

    optimizer: str  # "adamw" or "sgd"
    batch: float  # tokens
    learning_rate: float
    warmup: float = 0.0  # tokens


@dataclass(frozen=True)
class Limits:
    """What a plan may not exceed."""

    days: float = math.inf
    dollars: float = math.inf
    tokens: float = math.inf  # that there are


@dataclass(frozen=True)
class Brief:
    """Everything that a plan is made from."""

    model: Model
    tokens: float  # with which the goal is reached by small batches, E_min
    noise_scale: float  # tokens; taken for the critical batch size
    known: Known
    cluster: Cluster
    limits: Limits = Limits()


class BriefError(ValueError):
    """A brief cannot be used: where it is wrong, and how to mend it."""


OPTIMIZERS = ("adamw", "sgd")
LONGEST_WARMUP = 0.1  # of a run


def read(path: str | Path) -> Brief:
    """Return the brief in a YAML file; BriefError where it is not one."""
    try:
        entries = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise BriefError(f"{path}: {error.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise BriefError(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    return parse(entries)


def parse(entries: dict) -> Brief:
    """Return the brief that nested dictionaries describe; BriefError names the entry that is unknown, missing or impossible."""
    brief = section(Brief, entries, "")
    check(brief)
    return brief


def section(kind: type, entries, where: str):
    """Return an object of that class.

    entries: a dictionary, or None where the file has nothing under a name; where: its place in the brief, for the messages
    """
    entries = {} if entries is None else entries
    if not isinstance(entries, dict):
        raise BriefError(
            f"{where.rstrip('.') or 'the brief'}: entries such as `name: value` are needed, not {shown(entries)}"
        )
    known = {field.name: field for field in fields(kind)}
    for name in entries:
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise BriefError(f"{where}{name}: no such entry; {hint}")
    missing = [name for name, field in known.items() if name not in entries and field.default is MISSING]
    if missing:
        raise BriefError(f"{where}{missing[0]}: missing; add it")
    hints = get_type_hints(kind)
    return kind(**{name: value_of(hints[name], value, f"{where}{name}") for name, value in entries.items()})


def value_of(kind: type, value, where: str):
    """Return an entry as a section, a text or a number; YAML takes 7e9 for a text, which is meant as a number."""
    if is_dataclass(kind):
        return section(kind, value, f"{where}.")
    if kind is str:
        return str(value)
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isnan(number):
        raise BriefError(f"{where}: a number is needed, such as 4096 or 7e9, not {shown(value)}")
    if kind is int and not number.is_integer():
        raise BriefError(f"{where}: a whole number is needed, not {shown(value)}")
    return int(number) if kind is int else number


def shown(value) -> str:
    """Return what stands in a file, shortened."""
    return "nothing" if value is None else reprlib.repr(value)


def check(brief: Brief) -> None:
    """Raise BriefError where a number makes no sense."""
    for name, value in numbers(brief):
        least = "0 or more" if name in ("known.warmup", "cluster.latency") else "positive"
        if value < 0 or (value == 0 and least == "positive"):
            raise BriefError(f"{name}: must be {least}, not {value:g}")
        if not math.isfinite(value) and not name.startswith("limits."):
            raise BriefError(f"{name}: must be finite, not {value}")
    if brief.known.optimizer not in OPTIMIZERS:
        raise BriefError(f"known.optimizer: must be {' or '.join(OPTIMIZERS)}, not {brief.known.optimizer!r}")
    if brief.cluster.utilisation > 1:
        raise BriefError(f"cluster.utilisation: a share, at most 1, not {brief.cluster.utilisation:g}")
    if brief.known.warmup > LONGEST_WARMUP * brief.tokens:
        raise BriefError(
            f"known.warmup: at most {LONGEST_WARMUP:.0%} of the {brief.tokens:g} tokens of the run, not {brief.known.warmup:g}"
        )


def numbers(part, where: str = ""):
    """Yield the name and value of every number in a brief or a part of one."""
    for field in fields(part):
        value = getattr(part, field.name)
        if is_dataclass(value):
            yield from numbers(value, f"{where}{field.name}.")
        elif not isinstance(value, str):
            yield f"{where}{field.name}", value
