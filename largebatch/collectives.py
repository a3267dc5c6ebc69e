"""What data parallelism sends, in bytes and seconds: one collective, one optimizer step by strategy, and that step as a timeline.

Counts are for a ring, in which every rank sends to the next one only; they are what one rank sends. num_bytes is the whole tensor (all
gradients, say, or all parameters: the two are taken to be equally large), bandwidth is in bytes a second and direction, latency in seconds
a message. Each function raises ValueError for a number that is not positive (a latency may be 0) and for a name that it does not know.
"""

from dataclasses import dataclass
from math import log2

import numpy as np

PHASES = {"all-reduce": 2, "reduce-scatter": 1, "all-gather": 1, "broadcast": 1}  # times round the ring


@dataclass(frozen=True)
class Strategy:
    """In which micro-batches a strategy sends: a rule is "each", "first", "last" or "never"."""

    reduction: str  # the collective behind a backward pass: "all-reduce", or "reduce-scatter" where a rank keeps its share only
    reduce: str
    gather_forward: str  # parameters, before a forward pass that finds only shares of them
    gather_backward: str = "never"


# Rajbhandari et al. 2020 (arXiv 1910.02054), section 7; how often with accumulation follows from what a rank keeps between micro-batches.
# The parameters that the optimizer updated in shares are gathered by the next forward pass, the first of a step.
STRATEGIES = {
    "ddp": Strategy("all-reduce", "each", "never"),
    "ddp no_sync": Strategy("all-reduce", "last", "never"),
    "zero1": Strategy("reduce-scatter", "last", "first"),
    "zero2": Strategy("reduce-scatter", "each", "first"),
    "zero3": Strategy("reduce-scatter", "each", "each", "each"),
    "zero3 no_sync": Strategy("reduce-scatter", "last", "each", "each"),
}


def sent_bytes(collective, num_bytes, num_ranks) -> float:
    """Return the bytes that one rank sends: (N - 1)/N of the tensor each time round (for a broadcast, on average over the ranks)."""
    phases = known(collective, PHASES, "collective")
    require_positive(num_bytes=num_bytes, num_ranks=num_ranks)
    return phases * (num_ranks - 1) / num_ranks * num_bytes


def seconds(collective, num_bytes, num_ranks, bandwidth, latency=0.0, algorithm="ring") -> float:
    """Return how long a collective takes alone: its messages one after the other, and its bytes.

    algorithm : "ring", N - 1 messages for each time round; or "halving-doubling", log2(N) of them with the same bytes, for a
                power of two ranks (Thakur et al. 2005). A broadcast is passed on round the ring in pieces, so its bytes take V / bandwidth.
    """
    sent = sent_bytes(collective, num_bytes, num_ranks)
    require_positive(bandwidth=bandwidth)
    if not latency >= 0:
        raise ValueError(f"latency must not be negative, as {latency} is; give seconds a message")
    if collective == "broadcast" and num_ranks > 1:
        sent = num_bytes
    rounds = known(algorithm, {"ring": num_ranks - 1, "halving-doubling": log2(num_ranks)}, "algorithm")
    if algorithm == "halving-doubling" and (collective == "broadcast" or rounds % 1):
        raise ValueError(
            "halving-doubling is for all-reduce, reduce-scatter and all-gather on a power of two ranks, "
            f"not for {collective} on {num_ranks}; take the ring"
        )
    return PHASES[collective] * rounds * latency + sent / bandwidth


def passes(strategy, accumulation_steps=1) -> dict[str, int]:
    """Return how often the whole model goes through each collective in one optimizer step of K micro-batches."""
    rules = known(strategy, STRATEGIES, "strategy")
    require_positive(accumulation_steps=accumulation_steps)
    times = {"each": accumulation_steps, "first": 1, "last": 1, "never": 0}
    counts = {
        "all-gather": times[rules.gather_forward] + times[rules.gather_backward],
        rules.reduction: times[rules.reduce],
    }
    return {collective: count for collective, count in counts.items() if count}


def step_bytes(strategy, num_bytes, num_ranks, accumulation_steps=1) -> float:
    """Return the bytes that one rank sends in one optimizer step."""
    counts = passes(strategy, accumulation_steps)
    return sum(count * sent_bytes(collective, num_bytes, num_ranks) for collective, count in counts.items())


def step_seconds(strategy, num_bytes, num_ranks, bandwidth, latency=0.0, accumulation_steps=1, num_layers=1) -> float:
    """Return the seconds of all collectives of a step one after the other, if each layer, of equal size, has its own."""
    require_positive(num_layers=num_layers)
    return sum(
        count * num_layers * seconds(collective, num_bytes / num_layers, num_ranks, bandwidth, latency)
        for collective, count in passes(strategy, accumulation_steps).items()
    )


@dataclass(frozen=True)
class Timeline:
    """Events of one optimizer step in the order in which they were queued: arrays of equal length, times in seconds."""

    kind: np.ndarray  # "forward", "backward" (the compute stream); "all-gather", "all-reduce", "reduce-scatter" (the communication stream)
    layer: np.ndarray
    micro_batch: np.ndarray
    start: np.ndarray
    end: np.ndarray

    @property
    def computes(self) -> np.ndarray:
        """Which of the events are computation; the others are communication."""
        return np.isin(self.kind, ("forward", "backward"))

    @property
    def seconds(self) -> float:
        """Length of the step."""
        return float(self.end.max())

    @property
    def compute_seconds(self) -> float:
        """Sum over the compute stream."""
        return float((self.end - self.start)[self.computes].sum())

    @property
    def communication_seconds(self) -> float:
        """Sum over the communication stream."""
        return float((self.end - self.start)[~self.computes].sum())

    @property
    def exposed_seconds(self) -> float:
        """Time in which the compute stream waits for communication."""
        return self.seconds - self.compute_seconds


def timeline(
    strategy, num_layers, layer_bytes, layer_seconds, num_ranks, bandwidth, latency=0.0, accumulation_steps=1, overlap=True
) -> Timeline:  # fmt: skip
    """Return the events of one optimizer step of equal layers, whose backward pass takes twice as long as the forward pass.

    layer_seconds : forward pass of one micro-batch through one layer
    overlap       : gradients of a layer are sent while the layers below it are still in their backward pass, and parameters are gathered
                    one layer ahead; otherwise nothing is computed while something is sent

    There is one communication stream; it does what was asked for first, first. After a backward pass the compute stream waits until everything
    is sent. The optimizer's own computation takes no time here. On one rank nothing is sent, and there are no such events.
    """
    rules = known(strategy, STRATEGIES, "strategy")
    require_positive(num_layers=num_layers, layer_seconds=layer_seconds, accumulation_steps=accumulation_steps)
    num_layers, accumulation_steps = int(num_layers), int(accumulation_steps)  # 2.0 is whole, too
    taken = {"forward": layer_seconds, "backward": 2 * layer_seconds}
    for collective in ("all-gather", rules.reduction):
        taken[collective] = seconds(collective, layer_bytes, num_ranks, bandwidth, latency)
    due = {"forward": rules.gather_forward, "backward": rules.gather_backward}
    in_micro_batch = {"each": range(accumulation_steps), "first": (0,), "last": (accumulation_steps - 1,), "never": ()}
    layers = range(num_layers)
    work = [
        (kind, layer, micro_batch)
        for micro_batch in range(accumulation_steps)
        for kind, order in (("forward", layers), ("backward", reversed(layers)))
        for layer in order
    ]
    events = []
    link_free = computed = 0.0

    def send(collective: str, layer: int, micro_batch: int, asked: float) -> None:
        nonlocal link_free
        if num_ranks > 1:
            start, link_free = max(asked, link_free), max(asked, link_free) + taken[collective]
            events.append((collective, layer, micro_batch, start, link_free))

    def gather(number: int, asked: float) -> float:
        """Ask for the parameters of a piece of work, if it needs any; return when they are there."""
        if number == len(work):
            return asked
        kind, layer, micro_batch = work[number]
        if micro_batch not in in_micro_batch[due[kind]]:
            return asked
        send("all-gather", layer, micro_batch, asked)
        return link_free

    there = gather(0, 0.0)
    for number, (kind, layer, micro_batch) in enumerate(work):
        start = max(computed, there)
        computed = start + taken[kind]
        events.append((kind, layer, micro_batch, start, computed))
        if overlap:
            there = gather(number + 1, start)
        if kind == "backward" and micro_batch in in_micro_batch[rules.reduce]:
            send(rules.reduction, layer, micro_batch, computed)
        if not overlap:
            computed = max(computed, link_free)
            there = gather(number + 1, computed)
        elif kind == "backward" and layer == 0:
            computed = max(computed, link_free)
    return Timeline(*(np.array(column) for column in zip(*events, strict=True)))


def known(name, table: dict, what: str):
    """Return the entry of that name; raise ValueError with the names there are."""
    if name not in list(table):
        raise ValueError(f"no {what} is called {name!r}; there are {', '.join(table)}")
    return table[name]


def require_positive(**values) -> None:
    """Raise ValueError, naming the input, where a value is not positive, or not whole where it counts something."""
    for name, value in values.items():
        if name in ("num_ranks", "num_layers", "accumulation_steps") and (value < 1 or value % 1 != 0):
            raise ValueError(f"{name} must be a whole number from 1 on, not {value}")
        if not value > 0:
            raise ValueError(f"{name} must be positive, not {value}")
