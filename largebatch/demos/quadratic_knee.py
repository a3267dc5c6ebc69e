"""Demo of lesson 07: what momentum and preconditioning do to the knee, in the noisy quadratic model, where every number is exact."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from largebatch.demos.canvas import set_ticks
from largebatch.demos.instrument import COLOURS, Demo, slider
from largebatch.knee import fit
from largebatch.quadratic import knee, power_law

BATCHES = 4 ** np.arange(9)  # examples
BINS = 16  # of 1000 modes: two thirds of the engine's usual ones and of its time, for another 1 % of error
SGD, MOMENTUM, PRECONDITIONED, BOTH = "SGD", "momentum", "preconditioned", "both"
POWER = 0.5  # of the curvature, by which a preconditioned step is divided
SAME = 1.1  # a factor up to which two numbers count as equal


@dataclass(frozen=True)
class Curve:
    """Steps to the target at each batch size, its best rate used, and the law S_min (1 + B_crit / B) through them."""

    steps: np.ndarray
    s_min: float
    b_crit: float

    @property
    def e_min(self) -> float:
        """Examples to the target if none is wasted."""
        return self.s_min * self.b_crit

    @property
    def miss(self) -> float:
        """Largest error of the law, as a share of the steps."""
        return float(np.abs(self.s_min * (1 + self.b_crit / BATCHES) / self.steps - 1).max())


@lru_cache(maxsize=512)
def curve(exponent: float, target: float, momentum: float, power: float) -> Curve:
    """Return the curve of one optimizer; kept, because most moves leave plain SGD where it was."""
    steps, _ = knee(power_law(exponent, bins=BINS), BATCHES, target, momentum, power)
    return Curve(steps, *map(float, fit(BATCHES, steps)))


@dataclass(frozen=True)
class Comparison:
    """One optimizer, and plain SGD on the same problem."""

    optimizer: str
    momentum: float  # 0 where the optimizer has none
    chosen: Curve
    sgd: Curve
    calm: Curve  # the chosen optimizer without its momentum


def compute(optimizer: str, momentum: float, exponent: float, target: float) -> Comparison:
    """Find the best rate of every batch size, for the optimizer and for plain SGD."""
    momentum = momentum if optimizer in (MOMENTUM, BOTH) else 0.0
    power = POWER if optimizer in (PRECONDITIONED, BOTH) else 0.0
    settings = (momentum, power), (0.0, 0.0), (0.0, power)
    return Comparison(optimizer, momentum, *(curve(exponent, target, *setting) for setting in settings))


# -- what is shown ---------------------------------------------------------------------------------------------------------------

PANELS = (("steps", 0.08, (-0.7, 6.2)), ("examples", 0.585, (0.2, 8.7)))  # name, left edge, window in powers of ten
TICKS = {0: "1", 2: "100", 4: "10⁴", 6: "10⁶", 8: "10⁸"}  # few, because each takes more time than a curve
BATCH_TICKS = (1, 16, 256, 4096)
DENSE = 2 ** np.linspace(0, 16, 49)
KEY = (("best rate for each batch", "blue"), ("law", "red"), ("plain SGD", "grey"))


def draw(axes, found: Comparison) -> None:
    """Draw steps and examples side by side. The windows never change, so that the knee is seen to move.

    The axes hold logarithms, because matplotlib's logarithmic axes take longer to draw; so do titles and labels that it must place.
    """
    right = axes.figure.add_axes([0.5, 0.1, 0.4, 0.8])
    for panel, (name, left, window) in zip((axes, right), PANELS, strict=True):
        panel.set_position([left, 0.15, 0.405, 0.76])
        draw_panel(panel, found, per_step=name == "examples")
        set_ticks(panel.xaxis, np.log2(BATCH_TICKS), BATCH_TICKS)
        powers = [power for power in TICKS if window[0] < power < window[1]]
        set_ticks(panel.yaxis, powers, [TICKS[power] for power in powers])
        panel.set(xlim=(-0.7, 16.7), ylim=window, xlabel="batch size B (examples)")
        panel.set_title(f"{name} to the target", y=1.02)
        panel.xaxis.set_label_coords(0.5, -0.11)
    for number, (text, colour) in enumerate(KEY):
        place = {"transform": right.transAxes, "va": "top", "fontsize": 9}
        right.text(0.02, 0.99 - 0.08 * number, text, color=COLOURS[colour], **place)


def draw_panel(axes, found: Comparison, per_step: bool) -> None:
    """Draw both curves, the law, its knee and its floor, in steps or in examples (per_step)."""

    def line(batches, steps, style, **details) -> None:
        axes.plot(np.log2(batches), np.log10(steps * batches if per_step else steps), style, **details)

    chosen, sgd = found.chosen, found.sgd
    line(BATCHES, sgd.steps, "-", color=COLOURS["grey"], lw=3, alpha=0.5)
    line(DENSE, chosen.s_min * (1 + chosen.b_crit / DENSE), "-", color=COLOURS["red"], lw=1.5)
    line(BATCHES, chosen.steps, "o", color=COLOURS["blue"], ms=4)
    name, floor, at, side = (
        ("E_min", chosen.e_min, 16.4, "right") if per_step else ("S_min", chosen.s_min, -0.4, "left")
    )
    axes.axhline(np.log10(floor), color=COLOURS["orange"], lw=1, ls=":")
    axes.text(at, np.log10(floor) - 0.1, f"{name} = {rounded(floor)}", ha=side, va="top", fontsize=9)
    top = 0.75 if per_step else 1  # below the key
    axes.axvline(np.log2(sgd.b_crit), ymax=top, color=COLOURS["grey"], lw=1, ls=":")
    axes.axvline(np.log2(chosen.b_crit), ymax=top, color=COLOURS["orange"], lw=1.5)
    if chosen.b_crit > 1 and not per_step:
        side, shift = ("left", 0.2) if chosen.b_crit < 500 else ("right", -0.2)
        place = {"transform": axes.get_xaxis_transform(), "ha": side, "va": "top", "fontsize": 9}
        axes.text(np.log2(chosen.b_crit) + shift, 0.99, f"B_crit = {rounded(chosen.b_crit)}", **place)


def reading(found: Comparison) -> str:
    """Return the numbers of both curves, what became of each, and what that means."""
    sentences = [numbers(name_of(found), found.chosen)]
    if found.optimizer != SGD:
        sentences += [numbers("Plain SGD", found.sgd), verdict(found), memory(found)]
    sentences += [f"The law is at most {100 * found.chosen.miss:.0f} % off the dots."]
    return " ".join(filter(None, sentences))


def name_of(found: Comparison) -> str:
    """Return the optimizer in words."""
    momentum = f"momentum {found.momentum:g}"
    return {SGD: "Plain SGD", MOMENTUM: momentum.capitalize(), PRECONDITIONED: "Preconditioned SGD", BOTH: f"Preconditioned SGD with {momentum}"}[found.optimizer]  # fmt: skip


def numbers(name: str, curve: Curve) -> str:
    """Return S_min, E_min and B_crit in words."""
    return (
        f"<b>{name}: S_min = {rounded(curve.s_min)} steps, E_min = {rounded(curve.e_min)} examples</b>, "
        f"so B_crit = E_min / S_min = {rounded(curve.b_crit)} examples."
    )


def verdict(found: Comparison) -> str:
    """Return what became of S_min, E_min and B_crit, and whether that is a gain."""
    steps, examples, b_crit = (
        getattr(found.chosen, name) / getattr(found.sgd, name) for name in ("s_min", "e_min", "b_crit")
    )
    changes = f"Against plain SGD S_min {change(steps)} and E_min {change(examples)}, so B_crit {change(b_crit)}."
    if b_crit > SAME and examples > SAME and steps > 1 / SAME:
        return f"{changes} <b>Beware: B_crit is larger only because more examples are needed</b>, not because large batches got better."
    if b_crit < 1 / SAME and max(steps, examples) < SAME:
        return f"{changes} A smaller B_crit, and yet nothing got worse: B_crit alone is no score."
    return changes


def change(ratio: float) -> str:
    """Return what became of a number."""
    if 1 / SAME <= ratio <= SAME:
        return "stays"
    return f"grows {rounded(ratio)} times" if ratio > 1 else f"shrinks {rounded(1 / ratio)} times"


def memory(found: Comparison) -> str:
    """Return whether momentum hurts where few steps would do."""
    if not found.momentum or found.chosen.s_min < SAME * found.calm.s_min:
        return ""
    return f"Here momentum hurts: without it S_min would be {rounded(found.calm.s_min)} steps."


def rounded(number: float) -> str:
    """Return a number to two figures."""
    return f"{float(f'{number:.2g}'):,.0f}" if number >= 10 else f"{number:.2g}"


def explain(fewer_steps: bool, fewer_examples: bool, because: str):
    """Return what to say to the prediction that S_min or E_min fall to less than half."""

    def explanation(found: Comparison) -> str:
        chosen, sgd = found.chosen, found.sgd
        fell = chosen.s_min < sgd.s_min / 2, chosen.e_min < sgd.e_min / 2
        answer = "Yes" if fell == (fewer_steps, fewer_examples) else "No"
        return (
            f"{answer}: S_min went from {rounded(sgd.s_min)} to {rounded(chosen.s_min)} steps, "
            f"E_min from {rounded(sgd.e_min)} to {rounded(chosen.e_min)} examples. {because}"
        )

    return explanation


def demo() -> Demo:
    """Return the demo with its first setting: momentum 0.9 on curvatures 1, 1/2, 1/3, …, down to 3 % of the initial loss."""
    return Demo(
        title="Can an optimizer move the knee?",
        controls={
            "optimizer": slider("optimizer", [SGD, MOMENTUM, PRECONDITIONED, BOTH], MOMENTUM),
            "momentum": slider("momentum, where there is one", [0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99], 0.9),
            "exponent": slider("curvatures i^-a: exponent a", [0.5, 0.75, 1.0, 1.25, 1.5], 1.0),
            "target": slider(
                "target (of the initial loss)",
                [(f"{100 * target:.0f} %", target) for target in (0.5, 0.3, 0.1, 0.03, 0.01)],
                0.03,
            ),
        },
        compute=compute,
        draw=draw,
        reading=reading,
        question=(
            "plain SGD gets momentum 0.9, and the learning rate is tuned anew for every batch size. What falls to less than half: "
            "S_min, the steps that even an endless batch needs, or E_min, the examples that even the smallest batch needs?"
        ),
        predictions={
            "both": explain(True, True, "That would take an optimizer that wastes less noise."),
            "only S_min": explain(
                True,
                False,
                "Momentum helps where curvature limits the steps. Where noise does, it is a learning rate 1 / (1 - 0.9) times as large, no more.",
            ),
            "only E_min": explain(
                False,
                True,
                "Small batches are limited by noise, and momentum averages it no better than a smaller rate.",
            ),
        },
        size=(7.5, 3.6),
    )
