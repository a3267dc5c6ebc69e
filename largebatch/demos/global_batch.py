"""Demo of lesson 01: plan a global batch from ranks × micro-batch × accumulation, in whole numbers only."""

from dataclasses import dataclass

import ipywidgets as widgets
import numpy as np

from largebatch.batch import BatchPlan, plans
from largebatch.demos.canvas import set_ticks
from largebatch.demos.instrument import COLOURS, Demo


@dataclass(frozen=True)
class Planning:
    """What was asked, every exact plan, and the best one that fits (None where there is none)."""

    num_ranks: int
    largest_micro_batch: int
    global_batch: int
    sequence_length: int
    exact: list[BatchPlan]
    best: BatchPlan | None


def compute(num_ranks: int, largest_micro_batch: int, global_batch: int, sequence_length: int) -> Planning:
    """Return the plans; the best one has the largest micro-batch that fits, for it keeps the GPU busiest."""
    exact = plans(global_batch, num_ranks)
    fitting = [plan for plan in exact if plan.micro_batch <= largest_micro_batch]
    return Planning(
        num_ranks, largest_micro_batch, global_batch, sequence_length, exact, fitting[-1] if fitting else None
    )


def draw(axes, planning: Planning) -> None:
    """Draw the curve micro-batch × accumulation = share of a rank, and the whole-number plans on it."""
    share = planning.global_batch / planning.num_ranks
    edge = max(64.0, share) * 1.3
    micro = np.geomspace(0.8, edge, 100)
    axes.loglog(micro, share / micro, color=COLOURS["grey"], lw=1)
    axes.axvspan(planning.largest_micro_batch * 1.06, edge, color=COLOURS["grey"], alpha=0.15, lw=0)
    for plan in planning.exact:
        fits = plan.micro_batch <= planning.largest_micro_batch
        axes.plot(
            plan.micro_batch,
            plan.accumulation_steps,
            "o",
            ms=8,
            mec=COLOURS["blue"],
            mfc=COLOURS["blue"] if fits else "none",
        )
    if planning.best:
        best = planning.best
        axes.plot(best.micro_batch, best.accumulation_steps, "o", ms=14, mec=COLOURS["red"], mfc="none", mew=2)
        axes.annotate(
            f"{best.micro_batch} × {best.accumulation_steps}", (best.micro_batch, best.accumulation_steps), (10, 8),
            textcoords="offset points", color=COLOURS["red"],
        )  # fmt: skip
    else:
        axes.text(0.02, 0.06, "no whole-number plan", transform=axes.transAxes, color=COLOURS["red"])
    ticks = [2**power for power in range(11) if 2**power <= edge]
    for axis in (axes.xaxis, axes.yaxis):
        set_ticks(axis, ticks, ticks)
    axes.minorticks_off()
    axes.set(xlim=(0.8, edge), ylim=(0.8, 2.5 * edge))  # room for the label of the topmost plan
    axes.set(xlabel="micro-batch (sequences)", ylabel="accumulation steps")
    axes.set_title("filled: fits in memory; shaded: does not fit; ringed: largest micro-batch")


def reading(planning: Planning) -> str:
    """Return the plan in words, or why there is none and which batches come nearest."""
    ranks, batch = planning.num_ranks, planning.global_batch
    if planning.best is None:
        below, above = batch // ranks * ranks, (batch // ranks + 1) * ranks
        nearest = f"batches that work are {below} and {above}" if below else f"batch that works is {above}"
        return (
            f"<b>Impossible:</b> {batch} sequences on {ranks} ranks are {batch / ranks:.4g} each, not a whole number. "
            f"The nearest global {nearest}."
        )
    best = planning.best
    return (
        f"{count(ranks, 'rank')} × micro-batch {best.micro_batch} × {count(best.accumulation_steps, 'accumulation step')} = <b>{batch} sequences</b> "
        f"a step = {batch * planning.sequence_length:,} tokens of {planning.sequence_length:,} a sequence."
    )


def count(number: int, noun: str) -> str:
    """Return the number with its noun, "1 rank" or "2 ranks"."""
    return f"{number} {noun}{'s' * (number != 1)}"


def explain(accumulation_steps: int):
    """Return what to say to somebody who predicts this accumulation on 16 ranks with micro-batch 4."""

    def explanation(planning: Planning) -> str:
        predicted = BatchPlan(planning.num_ranks, planning.best.micro_batch, accumulation_steps).global_batch
        if predicted == planning.global_batch:
            return f"Yes: {planning.num_ranks} × {planning.best.micro_batch} × {accumulation_steps} = {predicted}, as before."
        return (
            f"No: {planning.num_ranks} × {planning.best.micro_batch} × {accumulation_steps} = {predicted} sequences, "
            f"{predicted // planning.global_batch} times the batch. More ranks share the same batch, so each needs fewer micro-batches."
        )

    return explanation


def demo() -> Demo:
    """Return the demo with its first setting: 128 sequences moved from 8 to 16 ranks."""
    batches = [8, 16, 32, 64, 100, 120, 128, 256, 384, 512, 1000, 1024]
    return Demo(
        title="Plan a global batch",
        controls={
            "num_ranks": widgets.IntSlider(description="ranks", min=1, max=64, value=16),
            "largest_micro_batch": widgets.IntSlider(
                description="largest micro-batch that fits (sequences)", min=1, max=32, value=4
            ),
            "global_batch": widgets.SelectionSlider(description="global batch (sequences)", options=batches, value=128),
            "sequence_length": widgets.SelectionSlider(
                description="sequence length (tokens)", options=[512, 2048, 8192, 65536], value=2048
            ),
        },
        compute=compute,
        draw=draw,
        reading=reading,
        question=(
            "128 sequences run on 8 ranks with micro-batch 4 and 4 accumulation steps. You get 16 ranks and keep the batch "
            "and the micro-batch. The accumulation steps are…"
        ),
        predictions={"doubled to 8": explain(8), "left at 4": explain(4), "halved to 2": explain(2)},
    )
