"""Demo of lesson 05: steps and examples to a target against the batch size, from real runs: a few at once, many while you look.

Runs are kept. They can be stopped at any step and go on where they stopped, and what they say about a target does not depend on
how far they went on afterwards. So a harder target costs only the missing steps, and an easier one nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from largebatch.demos.canvas import set_ticks
from largebatch.demos.instrument import COLOURS, Demo, slider
from largebatch.descent import GRID_RATIO, ExcessLoss, crossing, walk
from largebatch.knee import BASE_BATCH, BATCHES, fit, published_warmup, stream, uneven_problem
from largebatch.logistic import LogisticRegression

EPOCH = 4096  # examples
TARGETS = (0.3, 0.2, 0.1, 0.05)  # shares of the initial excess
FIXED, LINEAR, TUNED = "fixed (best at 32)", "linear (from 32)", "tuned for each"
WARMUPS = {  # name → steps at a batch size
    "none": lambda batch_size: 0,
    "5 steps": lambda batch_size: 5,
    "20 steps": lambda batch_size: 20,
    "256 examples": lambda batch_size: 256 // batch_size,
    "1 epoch": lambda batch_size: EPOCH // batch_size,
    "5 steps × B/32": published_warmup,
}


# -- runs ------------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Effort:
    """How much is run for an answer.

    num_seeds  : runs of each learning rate
    rate_ratio : of neighbouring learning rates, at most; there are at least `num_rates` of them
    grid_ratio : of neighbouring steps at which the loss is looked at
    budget     : steps and examples after which a run is given up, whichever comes first
    """

    name: str
    num_seeds: int
    num_rates: int
    rate_ratio: float
    grid_ratio: float
    budget: tuple[int, int]

    def batches(self, largest: int) -> list[int]:
        """Return the batch sizes to run, in examples."""
        chosen = {BASE_BATCH, largest // 16, largest // 4, largest} if self is COARSE else BATCHES
        smallest = BASE_BATCH if self is COARSE else min(BATCHES)
        return sorted(batch_size for batch_size in chosen if smallest <= batch_size <= largest)

    def most_steps(self, batch_size: int) -> int:
        """Return the steps after which a run is given up."""
        return min(self.budget[0], self.budget[1] // batch_size)


COARSE = Effort("coarse", num_seeds=2, num_rates=4, rate_ratio=2.0, grid_ratio=1.25, budget=(200, 2**16))
FINE = Effort("fine", num_seeds=8, num_rates=8, rate_ratio=2**0.5, grid_ratio=GRID_RATIO, budget=(10_000, 2**21))


@cache
def loss_of(label_noise: float) -> tuple[LogisticRegression, ExcessLoss, float]:
    """Return the problem in single precision, which all runs share, its excess loss, and the largest stable rate at the optimum."""
    problem = uneven_problem(label_noise)
    stable = 2 / np.linalg.eigvalsh(problem.hessian(problem.optimum))[-1]
    single = LogisticRegression(problem.features.astype("f4"), problem.labels.astype("f4"))
    return single, ExcessLoss(problem), float(stable)


def rates_to_try(label_noise: float, batch_size: int, warmup_steps: int, effort: Effort) -> np.ndarray:
    """Return learning rates from below the best one for the hardest target to above the best one for the easiest.

    The guess: noise allows stable / (1 + B_noise / B) with B_noise ≈ 2.5 nats / excess, and a warmup longer than the run hides a higher rate.
    """
    stable, initial_excess = loss_of(label_noise)[2], uneven_problem(label_noise).initial_excess
    scales = [2.5 / (target * initial_excess) / batch_size for target in (min(TARGETS), max(TARGETS))]
    low, high = (stable / (1 + scale) for scale in scales)
    shortest_run = 6 * (1 + 2 * scales[1])
    low, high = low / 2, 1.5 * high * max(1, 1.5 * warmup_steps / shortest_run)
    return np.geomspace(low, high, max(effort.num_rates, 1 + round(np.log(high / low) / np.log(effort.rate_ratio))))


class Runs:
    """SGD at one batch size with some rates, several seeds each. excess: mean over seeds, shape (T, rates), in nats."""

    def __init__(
        self, label_noise: float, batch_size: int, warmup_steps: int, rates: tuple[float, ...], effort: Effort
    ):
        problem, self.excess_of, _ = loss_of(label_noise)
        self.rates, self.batch_size, self.effort = rates, batch_size, effort
        rng = stream(0, batch_size)
        self.walk = walk(problem, batch_size, np.array(rates), effort.num_seeds, rng, warmup_steps)
        self.step, self.due, self.lowest = -1, 0, np.inf
        self.steps, self.excess = [], []

    def until(self, target: float) -> Iterator[None]:
        """Go on until one rate is down to the target (nats) or the budget is spent; each yield is a good place to pause."""
        budget = self.effort.most_steps(self.batch_size)
        while self.lowest > target and self.due <= budget:
            weights = next(self.walk)
            self.step += 1
            if self.step >= self.due:
                self.steps.append(self.step)
                self.excess.append(self.excess_of(weights).mean(axis=0))
                self.lowest = min(self.lowest, self.excess[-1].min())
                self.due = max(self.step + 1, int(np.ceil(self.step * self.effort.grid_ratio)))
                yield

    def steps_to(self, target: float) -> np.ndarray:
        """Return the steps to the target (nats) of each rate; inf where it is not reached."""
        return crossing(np.array(self.steps), np.array(self.excess), target)

    def best_rate(self, target: float) -> float:
        """Return the rate of fewest steps to the target (nats), or of least loss so far where none has reached it."""
        steps = self.steps_to(target)
        return self.rates[int((steps if np.isfinite(steps).any() else self.excess[-1]).argmin())]


@lru_cache(maxsize=256)
def runs(*arguments) -> Runs:
    """Return the runs that were begun with these arguments, or new ones."""
    return Runs(*arguments)


# -- the experiment --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Setting:
    """Where the sliders stand."""

    largest: int
    rule: str
    warmup: str
    target: float
    label_noise: float

    @property
    def excess(self) -> float:
        """The target in nats above the optimum."""
        return self.target * uneven_problem(self.label_noise).initial_excess

    def tuned(self, batch_size: int, effort: Effort) -> Runs:
        """Return runs with many rates."""
        warmup_steps = WARMUPS[self.warmup](batch_size)
        rates = rates_to_try(self.label_noise, batch_size, warmup_steps, effort)
        return runs(self.label_noise, batch_size, warmup_steps, tuple(rates.tolist()), effort)

    def at(self, batch_size: int, base_rate: float, effort: Effort) -> Runs:
        """Return the runs that the rule asks for."""
        if self.rule == TUNED or batch_size == BASE_BATCH:
            return self.tuned(batch_size, effort)
        rate = base_rate * batch_size / BASE_BATCH if self.rule == LINEAR else base_rate
        return runs(self.label_noise, batch_size, WARMUPS[self.warmup](batch_size), (rate,), effort)


@dataclass(frozen=True)
class Point:
    """What runs of one batch size say: steps to the target (inf: not reached in `given` steps), and how many runs were made."""

    batch_size: int
    steps: float
    given: int
    warmup_steps: int
    num_runs: int
    effort: Effort


def points(setting: Setting, effort: Effort) -> Iterator[Point | None]:
    """Run the experiment from the largest batch to the smallest; yield each point, and None wherever it may pause."""
    base = setting.tuned(BASE_BATCH, effort)
    yield from base.until(setting.excess)
    base_rate = base.best_rate(setting.excess)
    for batch_size in reversed(effort.batches(setting.largest)):
        made = setting.at(batch_size, base_rate, effort)
        yield from made.until(setting.excess)
        steps = float(made.steps_to(setting.excess).min())
        num_runs = len(made.rates) * effort.num_seeds
        yield Point(batch_size, steps, made.step, WARMUPS[setting.warmup](batch_size), num_runs, effort)


class Measured:
    """Points in the order of their batch sizes, and the law S_min (1 + B_crit / B) through them, None unless all reached the target.

    law   : S_min in steps, B_crit in examples; miss: its largest error, as a share of the measured steps
    ideal : examples to the target if none is wasted: by the law, else at the smallest batch size that reached it, else None
    """

    def __init__(self, setting: Setting, found: dict[int, Point]):
        points = [found[batch_size] for batch_size in sorted(found)]
        self.setting, self.points = setting, points
        self.num_runs = sum(point.num_runs for point in points)
        self.batches = np.array([point.batch_size for point in points])
        self.steps = np.array([point.steps for point in points])
        self.given = np.array([point.given for point in points])
        self.warmup_steps = np.array([point.warmup_steps for point in points])
        self.fine = np.array([point.effort is FINE for point in points])
        self.reached = np.isfinite(self.steps)
        self.law = self.ideal = None
        if self.reached.all():
            s_min, b_crit = self.law = tuple(map(float, fit(self.batches, self.steps)))
            self.ideal = s_min * b_crit
            self.miss = float(np.abs(s_min * (1 + b_crit / self.batches) / self.steps - 1).max())
        elif self.reached.any():
            self.ideal = float((self.batches * self.steps)[self.reached][0])

    @property
    def has_knee(self) -> bool:
        """Whether the law has its knee between the smallest batch and the largest."""
        return self.law is not None and self.batches[0] < self.law[1] < self.batches[-1]

    def steps_at(self, batch_size: int) -> float:
        """Return the measured steps at a batch size."""
        return float(self.steps[self.batches == batch_size][0])


def compute(**values) -> Measured:
    """Return the coarse answer."""
    setting = Setting(**values)
    return Measured(setting, {point.batch_size: point for point in points(setting, COARSE) if point})


def refine(coarse: Measured) -> Iterator[Measured | None]:
    """Yield better answers, in which fine points replace coarse ones, and None wherever it may pause."""
    found = {point.batch_size: point for point in coarse.points}
    for point in points(coarse.setting, FINE):
        if point:
            found[point.batch_size] = point
        yield point and Measured(coarse.setting, dict(found))


# -- what is shown ---------------------------------------------------------------------------------------------------------------

PANELS = (("steps", 0.08, (0.5, 4.1)), ("examples", 0.585, (2.4, 6.4)))  # name, left edge, window in powers of ten
TICKS = {1: "10", 2: "100", 3: "1000", 4: "10 000", 5: "100 000", 6: "1 million"}
BATCH_TICKS = (4, 32, 256, 2048)
DENSE = 2 ** np.linspace(2, 12, 41)
KEY = (("measured", "blue"), ("ideal", "grey"), ("law", "red"))  # in the corner that is always empty


def draw(axes, measured: Measured) -> None:
    """Draw steps and examples side by side. The windows never change, so that the knee is seen to move.

    The axes hold logarithms, because matplotlib's logarithmic axes take longer to draw; so do titles and labels that it must place.
    """
    right = axes.figure.add_axes([0.5, 0.1, 0.4, 0.8])
    for panel, (name, left, window) in zip((axes, right), PANELS, strict=True):
        panel.set_position([left, 0.15, 0.405, 0.76])
        draw_panel(panel, measured, per_step=name == "examples")
        set_ticks(panel.xaxis, np.log2(BATCH_TICKS), BATCH_TICKS)
        powers = [power for power in TICKS if window[0] < power < window[1]]
        set_ticks(panel.yaxis, powers, [TICKS[power] for power in powers])
        panel.set(xlim=(1.6, 12.4), ylim=window, xlabel="batch size B (examples)")
        panel.set_title(f"{name} to the target", y=1.02)
        panel.xaxis.set_label_coords(0.5, -0.11)
    for number, (text, colour) in enumerate(KEY[: 3 if measured.law else 2]):
        place = {"transform": right.transAxes, "va": "top", "fontsize": 9}
        right.text(0.02, 0.99 - 0.08 * number, text, color=COLOURS[colour], **place)


def draw_panel(axes, measured: Measured, per_step: bool) -> None:
    """Draw the points, the ideal, the law and its knee, in steps or in examples (per_step)."""

    def line(batches, steps, style, **details) -> None:
        axes.plot(np.log2(batches), np.log10(steps * batches if per_step else steps), style, **details)

    if measured.ideal:
        line(DENSE, measured.ideal / DENSE, "--", color=COLOURS["grey"], lw=1)
    if measured.law:
        s_min, b_crit = measured.law
        seen = DENSE[measured.batches[-1] + 0.5 >= DENSE]
        line(seen, s_min * (1 + b_crit / seen), "-", color=COLOURS["red"], lw=1.5)
    if measured.has_knee:
        axes.axvline(np.log2(b_crit), color=COLOURS["orange"], lw=1.5)
        side, shift = ("left", 0.15) if b_crit < 1000 else ("right", -0.15)
        place = {"transform": axes.get_xaxis_transform(), "ha": side, "va": "top", "fontsize": 9}
        axes.text(np.log2(b_crit) + shift, 0.99, f"B = {rounded(b_crit)}", **place)
    for fine, strength in ((False, 0.4), (True, 1.0)):
        there = measured.fine == fine
        dots, open_ = there & measured.reached, there & ~measured.reached
        if dots.any():
            line(measured.batches[dots], measured.steps[dots], "o", color=COLOURS["blue"], alpha=strength)
        if open_.any():
            line(measured.batches[open_], measured.given[open_], "^", color=COLOURS["blue"], mfc="none", alpha=strength)


def reading(measured: Measured) -> str:
    """Return the knee, the gain from larger batches, what was not reached, and what all this rests on."""
    sentences = [verdict(measured), gain(measured), hidden_by_warmup(measured), not_reached(measured), basis(measured)]
    return " ".join(sentence for sentence in sentences if sentence)


def verdict(measured: Measured) -> str:
    """Return what the law says."""
    if not measured.law:
        return "<b>No law</b>: it needs the steps of every batch size."
    s_min, b_crit = measured.law
    largest = measured.batches[-1]
    if measured.has_knee:
        where = f"<b>Knee at B = {rounded(b_crit)} examples</b>"
    elif b_crit >= largest:
        where = f"<b>No knee up to B = {largest}</b>: the law has it beyond"
    else:
        where = "<b>No knee</b>: the steps do not fall as the batch grows"
    return f"{where}. Law: {s_min:.3g} (1 + {rounded(b_crit)} / B) steps, at most {100 * measured.miss:.0f} % off."


def gain(measured: Measured) -> str:
    """Return what the largest batch gains over B = 32, or over the smallest that reached the target."""
    batches, steps = measured.batches[measured.reached], measured.steps[measured.reached]
    if len(batches) < 2:
        return ""
    first = int(np.argmax(batches == BASE_BATCH))  # 0 where it is not there
    growth, ratio = batches[-1] / batches[first], steps[-1] / steps[first]
    change = f"{1 / ratio:.1f} times fewer" if ratio < 1 else f"{ratio:.1f} times as many"
    examples = batches * steps
    return (
        f"From B = {batches[first]} to {batches[-1]}, {growth:.0f} times the batch: steps from {steps[first]:,.0f} to "
        f"{steps[-1]:,.0f} ({change}), examples from {rounded(examples[first])} to {rounded(examples[-1])}."
    )


def hidden_by_warmup(measured: Measured) -> str:
    """Return where the run is over before the warmup is."""
    batches = measured.batches[measured.reached & (measured.warmup_steps > measured.steps)]
    return f"At B = {listed(batches)} the run is over before the warmup." if len(batches) else ""


def not_reached(measured: Measured) -> str:
    """Return where the target was not reached, and within how many steps."""
    missing = [
        f"{batch_size} ({given} steps)" for batch_size, given in zip(measured.batches, measured.given, strict=True)
    ]
    missing = [text for text, reached in zip(missing, measured.reached, strict=True) if not reached]
    return f"Triangles: not reached at B = {listed(missing)}." if missing else ""


def basis(measured: Measured) -> str:
    """Return how much was run."""
    effort = FINE if measured.fine.all() else COARSE
    return f"{effort.name.capitalize()}: {len(measured.batches)} batch sizes, {effort.num_seeds} seeds, {measured.num_runs} runs."


def listed(items) -> str:
    """Return "1", "1 and 2" or "1, 2 and 3"."""
    *others, last = map(str, items)
    return f"{', '.join(others)} and {last}" if others else last


def rounded(number: float) -> str:
    """Return a number to two figures."""
    return f"{float(f'{number:.2g}'):,.0f}"


def explain(low: float, high: float, because: str):
    """Return what to say to the prediction that the steps fall by a factor between low and high."""

    def explanation(measured: Measured) -> str:
        small, large = measured.steps_at(256), measured.steps_at(4096)
        answer = "Yes" if low <= small / large < high else "No"
        return f"{answer}: in the first, coarse runs they fell {small / large:.1f} times, from {small:.0f} to {large:.0f}. {because}"

    return explanation


def demo() -> Demo:
    """Return the demo with its first setting: the rate tuned for every batch size, no warmup, a target of 10 %."""
    return Demo(
        title="Where do larger batches stop helping?",
        controls={
            "largest": slider("largest batch (examples)", [256, 512, 1024, 2048, 4096], 4096),
            "rule": slider("learning rate", [FIXED, LINEAR, TUNED], TUNED),
            "warmup": slider("warmup", list(WARMUPS), "none"),
            "target": slider(
                "target (of the initial excess loss)", [(f"{100 * target:.0f} %", target) for target in TARGETS], 0.1
            ),
            "label_noise": slider(
                "labels tossed by a coin", [(f"{tosses} %", tosses / 100) for tosses in range(0, 60, 10)], 0.0
            ),
        },
        compute=compute,
        refine=refine,
        draw=draw,
        reading=reading,
        question=(
            "from 256 to 4096 examples the batch grows 16 times, and the learning rate is tuned anew for each batch size. "
            "The steps to the target fall…"
        ),
        predictions={
            "16 times": explain(
                12, np.inf, "Sixteen would mean that no example is wasted, however many there are in a step."
            ),
            "about 6 times": explain(
                3, 12, "That would be a slow loss; but past the knee the noise is no longer what holds a step back."
            ),
            "less than 3 times": explain(
                0,
                3,
                "Past the knee a larger batch only makes a step less noisy whose size the curvature limits anyway.",
            ),
        },
        size=(7.5, 3.6),
    )
