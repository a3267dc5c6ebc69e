"""Demo of lesson 04: design a warmup, and see what share of the run it takes and how much area is left under the rate."""

from dataclasses import dataclass

import ipywidgets as widgets
import numpy as np

from largebatch.demos.instrument import COLOURS, Demo
from largebatch.schedules import share_in_warmup, steps_for, warmup_area, warmup_rates

REFERENCE_BATCH, REFERENCE_RATE = 32, 0.05
EXAMPLES_PER_EPOCH = 20_000
EXPONENTS = {"linear": 1.0, "square root": 0.5, "none": 0.0}  # of the batch, in the rule for the peak rate


@dataclass(frozen=True)
class Schedule:
    """A warmup as it was asked for, in whole steps, and what it does to the run."""

    global_batch: int
    warmup_steps: int
    num_steps: int
    peak_rate: float

    @property
    def share(self) -> float:
        """Share of the run's steps that lie in the warmup."""
        return share_in_warmup(self.warmup_steps, self.num_steps)

    @property
    def area(self) -> float:
        """Sum of all rates of the run."""
        return warmup_area(self.num_steps, self.peak_rate, self.warmup_steps)

    @property
    def kept(self) -> float:
        """Area as a share of what the same run collects without warmup."""
        return self.area / warmup_area(self.num_steps, self.peak_rate, 0)

    @property
    def last_rate(self) -> float:
        """Rate of the last step, as a share of the peak."""
        return min(1.0, self.num_steps / max(self.warmup_steps, 1))


def compute(global_batch: int, rule: str, warmup: float, unit: str, run_examples: int) -> Schedule:
    """Turn the warmup into whole steps; unit: "steps", "steps per 32" (of the batch), "epochs" or "thousands" (of examples)."""
    factor = global_batch / REFERENCE_BATCH
    steps = {"steps": warmup, "steps per 32": warmup * factor}.get(unit)
    if steps is None:
        examples = warmup * {"epochs": EXAMPLES_PER_EPOCH, "thousands": 1000}[unit]
        steps = steps_for(examples, global_batch) if examples else 0
    peak_rate = REFERENCE_RATE * factor ** EXPONENTS[rule]
    return Schedule(global_batch, int(steps), steps_for(run_examples, global_batch), peak_rate)


def draw(axes, schedule: Schedule) -> None:
    """Draw the rate against the examples that were seen, with the sum of rates in the ramp and under the rest in two colours."""
    rates = warmup_rates(schedule.num_steps, schedule.peak_rate, schedule.warmup_steps)
    inside = min(schedule.warmup_steps, schedule.num_steps)
    thousands = np.arange(schedule.num_steps + 1) * schedule.global_batch / 1000
    corners = sorted({0, inside, schedule.num_steps})
    heights = np.concatenate([rates[:1], rates])[corners]
    axes.plot(thousands[corners], heights, color=COLOURS["blue"], lw=2)
    areas = {"ramp": (0, inside, COLOURS["orange"]), "rest": (inside, schedule.num_steps, COLOURS["sky"])}
    for name, (first, last, colour) in areas.items():
        if last > first:
            part = rates[first:last].sum()
            axes.fill_between(
                thousands[[first, last]], rates[[first, last - 1]], color=colour, alpha=0.4, lw=0,
                label=f"area under the {name}: {part:,.4g}",
            )  # fmt: skip
    axes.axhline(schedule.peak_rate, color=COLOURS["grey"], lw=1, ls=":")
    axes.set(xlabel="examples seen (thousands)", ylabel="learning rate", xlim=(0, 1.03 * thousands[-1]))
    axes.set_ylim(0, 1.4 * schedule.peak_rate)
    axes.set_title(f"dotted: peak rate {schedule.peak_rate:.3g}")
    axes.legend(loc="upper right", ncols=2)


def reading(schedule: Schedule) -> str:
    """Return the length of the warmup, its share of the run and the area that is left."""
    examples = min(schedule.warmup_steps, schedule.num_steps) * schedule.global_batch
    steps = f"Warmup of {schedule.warmup_steps:,} step{'s' * (schedule.warmup_steps != 1)}"
    if schedule.last_rate < 1:
        where = f"{steps}, but the run has only {schedule.num_steps:,} and ends at {schedule.last_rate:.0%} of the peak rate: <b>100% of the run</b>"
    else:
        where = (
            f"{steps} in a run of {schedule.num_steps:,}: <b>{schedule.share:.1%} of the run</b>, {examples:,} examples"
        )
    return f"{where}. Area under the rate: {schedule.area:,.4g}, {schedule.kept:.0%} of what the run would collect without warmup."


def explain(factor: int):
    """Return what to say to the prediction that twice the batch takes this many times the share."""

    def explanation(schedule: Schedule) -> str:
        before = share_in_warmup(schedule.warmup_steps // 2, 2 * schedule.num_steps)
        verdict = "Yes" if round(schedule.share / before) == factor else "No"
        because = {
            1: "It would stay if the warmup were counted in epochs or examples; here its steps double, and each step holds twice as much.",
            2: "The warmup has twice the steps, which is one factor 2; the other comes from the run, which has half the steps.",
            4: "Twice the warmup steps out of half the steps of the run: the share grows with the square of the batch.",
        }
        return f"{verdict}: it was {before:.1%} and is {schedule.share:.1%}. {because[factor]}"

    return explanation


def demo() -> Demo:
    """Return the demo with its first setting: a batch of 2048 with a warmup of 5 steps for each 32 examples of the batch."""
    units = [
        ("steps", "steps"),
        ("steps per B/32", "steps per 32"),
        ("epochs of 20 000", "epochs"),
        ("thousand examples", "thousands"),
    ]
    return Demo(
        title="Design a warmup",
        controls={
            "global_batch": widgets.SelectionSlider(
                description="global batch B (examples)", options=[2**power for power in range(5, 14)], value=2048
            ),
            "rule": widgets.SelectionSlider(
                description="rule for the peak rate", options=["none", "square root", "linear"], value="linear"
            ),
            "warmup": widgets.SelectionSlider(
                description="length of the warmup", options=[0, 1, 2, 5, 10, 20, 50, 100, 200, 500], value=5
            ),
            "unit": widgets.SelectionSlider(description="unit of that length", options=units, value="steps per 32"),
            "run_examples": widgets.SelectionSlider(
                description="length of the run (examples)",
                options=[(f"{n:,}", n) for n in (100_000, 200_000, 500_000, 1_000_000, 2_000_000)],
                value=1_000_000,
            ),
        },
        compute=compute,
        draw=draw,
        reading=reading,
        question=(
            "a run over 1,000,000 examples at B = 1024 warms up for 160 steps, 5 for each 32 examples of the batch: a sixth of the run. "
            "The batch is doubled to 2048; peak rate and warmup steps double with it. The warmup now takes…"
        ),
        predictions={
            "a sixth of the run, as before": explain(1),
            "a third of the run": explain(2),
            "two thirds of the run": explain(4),
        },
    )
