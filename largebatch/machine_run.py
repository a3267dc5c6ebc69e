"""What a schedule took on the symbolic machine: whether it trained every layer, whether it kept the budgets, and what it looks like."""

from dataclasses import dataclass
from math import inf
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from largebatch.check import WrongAnswer

# What is drawn → its colour: operations on the two streams of a rank, and kinds of memory, whole or shard.
COMPUTE = {"forward": "C5", "backward": "C2", "update": "C6"}
LINK = {"all_reduce": "C1", "reduce_scatter": "C3", "all_gather": "C4"}
MEMORY = {"weights": "C4", "optimizer state": "C6", "gradient": "C3", "activations": "C5"}
BUDGETS = {"memory": "GB", "sent": "GB", "time": "forward passes"}  # name → unit


@dataclass(frozen=True)
class Run:
    """One step on a machine: its ranks, each with all that it did and held."""

    machine: Any
    ranks: list

    @property
    def time(self) -> float:
        """When the last rank is done, in forward passes of one layer."""
        return max(max(rank.now, rank.link_free) for rank in self.ranks)

    @property
    def sent(self) -> float:
        """GB that each rank sent; a collective lets all of them send as much."""
        return self.ranks[0].sent

    @property
    def peak(self) -> tuple[float, Any, float]:
        """The most GB that a rank held, that rank, and when it did first."""
        found = [(held(rank, item.start), rank, item.start) for rank in self.ranks for item in rank.items]
        return max(found, key=lambda peak: (round(peak[0], 9), -peak[2]), default=(0.0, self.ranks[0], 0.0))

    @property
    def memory(self) -> float:
        """The most GB that a rank held."""
        return self.peak[0]

    def check(self) -> None:
        """Print what the step took; raise WrongAnswer where a layer is not trained or a budget not kept."""
        for rank in self.ranks:
            for layer in rank.layers:
                check_trained(rank, layer)
        for name, unit in BUDGETS.items():
            took, budget = getattr(self, name), getattr(self.machine, name)
            if took > budget * (1 + 1e-9):
                raise WrongAnswer(f"{name}: at most {budget:.5g} {unit}", f"{took:.5g} {unit}", CAUSES[name](self))
            print(f"{name}: {took:.5g}{f' of {budget:.5g}' if budget < inf else ''} {unit}")

    def draw(self) -> Figure:
        """Draw when the ranks computed and sent, once where all did the same, and below it what the one with the highest peak held."""
        alike = all(doings(rank) == doings(self.ranks[0]) for rank in self.ranks)
        shown = {"every rank": self.ranks[0]} if alike else {f"rank {rank.rank}": rank for rank in self.ranks}
        size, heights = (9, 2.4 + 0.5 * len(shown)), (len(shown), 2)
        fig, (lanes, memory) = plt.subplots(2, sharex=True, figsize=size, height_ratios=heights, layout="constrained")
        draw_lanes(lanes, shown, self.time)
        draw_memory(memory, self.peak[1], self.time)
        if self.machine.memory < inf:
            memory.axhline(self.machine.memory, color="k", lw=1, ls="--")
        memory.set(xlabel="time (forward passes of one layer)", ylabel="held (GB)", xlim=(0, self.time or 1))
        return fig


def doings(rank) -> list[tuple]:
    """Return what a rank did, and when."""
    return [(operation.name, operation.arguments, start, end) for operation, start, end in rank.bars]


def draw_lanes(axes, ranks, until) -> None:
    """Draw a bar with its layer for every operation; compute stands above communication, odd micro-batches are paler."""
    for place, rank in enumerate(ranks.values()):
        for operation, start, end in rank.bars:
            row = place + 0.45 * (operation.name in LINK)
            shade = 1 - 0.4 * (operation.arguments.get("micro_batch", 0) % 2)
            look = {"color": (COMPUTE | LINK)[operation.name], "alpha": shade, "ec": "w", "lw": 0.5}
            axes.barh(row, end - start, 0.45, start, **look)
            if end - start > until / 60:
                layer = operation.arguments["layer"]
                axes.text((start + end) / 2, row, layer, ha="center", va="center", fontsize=8)
    axes.set_yticks([place + lane for place in range(len(ranks)) for lane in (0, 0.45)])
    axes.set_yticklabels([f"{name} {does}" for name in ranks for does in ("computes", "sends")], fontsize=9)
    axes.invert_yaxis()
    legend(axes, COMPUTE | LINK)


def draw_memory(axes, rank, until) -> None:
    """Draw what a rank holds, one kind upon the other."""
    times = sorted({min(moment, until) for item in rank.items for moment in (item.start, item.end)})
    parts = [[held(rank, time, kind) for time in times] for kind in MEMORY]
    axes.stackplot(times, parts, step="post", colors=MEMORY.values(), lw=0)
    legend(axes, MEMORY)


def legend(axes, colours) -> None:
    """Name the colours above the axes."""
    patches = [Patch(color=colour, label=name) for name, colour in colours.items()]
    axes.legend(handles=patches, ncols=6, loc="lower left", bbox_to_anchor=(0, 1), fontsize=9, handlelength=1)


def held(rank, time, kind="") -> float:
    """Return the GB that a rank holds at a time, of one kind or of all."""
    return sum(item.size for item in rank.items if item.key[0].endswith(kind) and item.start <= time < item.end)


def check_trained(rank, layer) -> None:
    """Refuse a step that leaves a rank without the weights with which the next step begins."""
    weights = rank.held.get(("shard weights", layer)) or rank.held.get(("whole weights", layer))
    if weights is None or weights.content == "old":
        there = f"layer {layer} of rank {rank.rank} was not"
        raise WrongAnswer("every layer updated on every rank", there, "update is missing")
    if weights.content == "mixed":
        there = f"of layer {layer}, rank {rank.rank} has its own shard new and the others old"
        raise WrongAnswer("new weights, whole where they were loaded whole", there, "after the update, all_gather")


def memory_cause(run) -> str:
    """Say what a rank held at its peak, and what costs least to hold no longer."""
    _, rank, when = run.peak
    here = [item.key for item in rank.items if item.start <= when < item.end]
    micro_batches = len({key[2] for key in here if key[0] == "activations"})
    gradients, weights = (sum(key[0] == kind for key in here) for kind in ("whole gradient", "whole weights"))
    if micro_batches > 1:
        cause = f"activations of {micro_batches} micro-batches at once: send one backward before the next goes forward"
    elif ("whole optimizer state", 0) in rank.held and rank.num_ranks > 1:
        cause = "every rank holds the whole optimizer state"
    elif ("shard weights", 0) not in rank.held and rank.num_ranks > 1 and gradients < weights:
        cause = 'whole weights of all layers from the beginning: load(weights="shard")'
    elif gradients >= weights:
        cause = f"{gradients} whole gradients at once: accumulation does not make them smaller, reduce_scatter does"
    else:
        cause = f"whole weights of {weights} layers at once: gather shortly before use, free after it"
    parts = ", ".join(f"{kind} {held(rank, when, kind):.4g}" for kind in MEMORY)
    return f"{cause}\n(rank {rank.rank} at time {when:.4g}: {parts} GB)"


def sent_cause(run) -> str:
    """Say how often each collective ran."""
    names, layers = [operation.name for operation, _, _ in run.ranks[0].bars], run.machine.num_layers
    often = ", ".join(f"{name} {names.count(name) / layers:.3g} times" for name in LINK if name in names)
    return f"for a layer, on average: {often}\n(an all_reduce sends as much as a reduce_scatter and an all_gather)"


def time_cause(run) -> str:
    """Say how long rank 0 computed, and which collectives it stood still for."""
    bars = run.ranks[0].bars
    computing = [(start, end) for operation, start, end in bars if operation.name in COMPUTE]
    waited = dict.fromkeys(LINK, 0.0)
    for operation, start, end in bars:
        if operation.name in LINK:
            beside = sum(max(0.0, min(end, until) - max(start, since)) for since, until in computing)
            waited[operation.name] += end - start - beside
    often = ", ".join(f"{name} {time:.4g}" for name, time in waited.items() if time > 1e-9)
    busy = sum(end - start for start, end in computing)
    return (
        f"rank 0 computes for {busy:.4g} and waits for {run.time - busy:.4g}: {often}\n"
        "(a collective that starts with async_op=True, early enough, runs beside the computation)"
    )


CAUSES = {"memory": memory_cause, "sent": sent_cause, "time": time_cause}
