"""Demo of lesson 06: a meter of the noise scale, fed by the steps of a stream: it scatters, goes negative, and settles while you look.

The gradients are real ones: those of the 4096 examples of lesson 05's problem at one point of a training run, drawn with replacement. Weights
stand still, so there is one true noise scale, and it is known. For a window of steps the meter is largebatch.noise_scale.NoiseScale itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice

import numpy as np

from largebatch.demos.canvas import set_ticks
from largebatch.demos.instrument import COLOURS, Demo, slider
from largebatch.descent import walk
from largebatch.knee import uneven_problem
from largebatch.noise_scale import MIN_STEPS, NoiseScale, figures, two_batch

SHARES = {"start": 1.0, "30 % left": 0.3, "10 % left": 0.1, "3 % left": 0.03}  # of the initial excess loss
RUN_BATCH, RUN_RATE, RUN_SEED = 64, 2.0, 1  # of the run on which these points lie
CHUNK = 2**13  # examples that are drawn at once
NUM_STEPS = 2000
# The meter is read at these steps. The first picture shows so many of them, or what so many examples allow; the others come in turn.
READ_AT = np.unique(np.rint(np.geomspace(MIN_STEPS, NUM_STEPS, 100)).astype(int)).tolist()
FIRST_STEPS, FIRST_EXAMPLES, EVERY = 50, 2**18, 6


# -- the stream ------------------------------------------------------------------------------------------------------------------


@cache
def gradients_on_the_run() -> dict[str, np.ndarray]:
    """Return the gradients of all examples at each point of the run, shape (4096, 32); a point is where the loss first came down to it."""
    problem = uneven_problem()
    run = walk(problem, RUN_BATCH, np.array([RUN_RATE]), 1, np.random.default_rng([RUN_SEED, RUN_BATCH]))
    found = {}
    for name, share in SHARES.items():
        target = problem.least_loss + share * problem.initial_excess
        weights = next(weights[0, :, 0].astype(float) for weights in run if problem.loss(weights[0, :, 0]) <= target)
        found[name] = -problem.wrong(weights)[:, None] * problem.turned
    return found


@dataclass(frozen=True)
class Setting:
    """Where the sliders stand; micro_batch in examples, window in steps."""

    where: str
    micro_batch: int
    pieces: int
    window: int

    @property
    def batch(self) -> int:
        """Examples in a step."""
        return self.micro_batch * self.pieces

    @property
    def truth(self) -> tuple[float, float]:
        """The true tr Σ and |G|²."""
        gradients = gradients_on_the_run()[self.where]
        squared_norm = (gradients.mean(axis=0) ** 2).sum()
        return float((gradients**2).sum(axis=1).mean() - squared_norm), float(squared_norm)


def stream(setting: Setting) -> Iterator[list[list[float]]]:
    """Yield for a few steps at a time the estimates [tr Σ, |G|²] of each; other splits of the same batch see the same examples."""
    gradients = gradients_on_the_run()[setting.where].astype("f4")
    rng = np.random.default_rng([list(SHARES).index(setting.where), setting.batch])
    num_steps = max(1, CHUNK // setting.batch)
    while True:
        picks = rng.integers(0, len(gradients), (num_steps * setting.pieces, setting.micro_batch))
        means = gradients[picks].mean(axis=1).reshape(num_steps, setting.pieces, -1)
        small = (means**2).sum(axis=2).mean(axis=1)
        big = (means.mean(axis=1) ** 2).sum(axis=1)
        yield np.stack(two_batch(small, big, setting.micro_batch, setting.batch), axis=1).tolist()


# -- the meter -------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Watched:
    """What was seen so far. estimates: tr Σ and |G|² of each step, shape (steps, 2); meters: step → average of the window up to it."""

    setting: Setting
    estimates: np.ndarray
    meters: dict[int, NoiseScale]

    @property
    def true_scale(self) -> float:
        """The true noise scale in examples."""
        trace, squared_norm = self.setting.truth
        return trace / squared_norm

    @property
    def last(self) -> NoiseScale:
        """The meter as it stands."""
        return list(self.meters.values())[-1]

    @property
    def negative(self) -> float:
        """The share of single estimates of |G|² below 0."""
        return float((self.estimates[:, 1] < 0).mean())

    def plug_in(self, meter: NoiseScale) -> float:
        """The noise scale in examples if |ḡ|² of the batch is taken for |G|²."""
        return meter.trace / (meter.squared_norm + meter.trace / self.setting.batch)


def averaged(estimates: list[list[float]]) -> NoiseScale:
    """Return the meter after these steps."""
    meter = NoiseScale()
    for trace, squared_norm in estimates:
        meter.add(trace, squared_norm)
    return meter


def watch(setting: Setting) -> Iterator[Watched | None]:
    """Yield what is seen after more and more steps, and None wherever the work may pause."""
    first = min(FIRST_STEPS, FIRST_EXAMPLES // setting.batch)
    shown = [steps for steps in READ_AT if steps >= first]
    shown = {*shown[::EVERY], NUM_STEPS}
    source, estimates, meters = stream(setting), [], {}
    for steps in READ_AT:
        while len(estimates) < steps:
            estimates += next(source)
            yield None
        meters[steps] = averaged(estimates[max(0, steps - setting.window) : steps])
        yield Watched(setting, np.array(estimates[:steps]), dict(meters)) if steps in shown else None


def compute(**values) -> Watched:
    """Return what is seen after the first steps."""
    return next(watched for watched in watch(Setting(**values)) if watched)


def refine(watched: Watched) -> Iterator[Watched | None]:
    """Yield what is seen after more and more steps, and None wherever the work may pause."""
    return watch(watched.setting)


# -- what is shown ---------------------------------------------------------------------------------------------------------------

STEP_TICKS = (1, 10, 100, 1000)
NORM_TICKS, NORM_LIMIT = (-1000, -10, 0, 10, 1000), 2500  # in units of the true |G|²
SCALE_TICKS, SCALE_LIMITS = ("1", "10", "100", "1000", "10,000"), (-0.3, 4.7)  # powers of ten, in examples
LEFT, WIDTH = 0.1, 0.88  # of both panels, in shares of the figure


def draw(axes, watched: Watched) -> None:
    """Draw single estimates of |G|² above, and the running noise scale below. The windows never change, so that all is seen to move.

    The axes hold logarithms (above, the inverse hyperbolic sine, which also takes numbers below 0), as they are quicker to draw.
    """
    below = axes.figure.add_axes([LEFT, 0.11, WIDTH, 0.45])
    axes.set_position([LEFT, 0.655, WIDTH, 0.275])
    draw_estimates(axes, watched)
    draw_meter(below, watched)
    for panel in (axes, below):
        panel.set_xlim(-0.03, np.log10(1.05 * NUM_STEPS))
    set_ticks(axes.xaxis, [], [])  # those of the other panel will do
    set_ticks(below.xaxis, np.log10(STEP_TICKS), STEP_TICKS)
    below.set_xlabel("steps")
    below.xaxis.set_label_coords(0.5, -0.12)


def draw_estimates(axes, watched: Watched) -> None:
    """Draw the estimate of |G|² of every step, in units of the true one."""
    ratios = watched.estimates[:, 1] / watched.setting.truth[1]
    heights = np.arcsinh(np.clip(ratios, -NORM_LIMIT, NORM_LIMIT))
    steps = np.log10(np.arange(1, len(ratios) + 1))
    for seen, colour in ((ratios >= 0, "blue"), (ratios < 0, "red")):
        axes.plot(steps[seen], heights[seen], "o", ms=3, mew=0, alpha=0.6, color=COLOURS[colour])
    axes.axhline(0, color=COLOURS["grey"], lw=0.8)
    axes.axhline(np.arcsinh(1), color="black", ls="--", lw=1)
    axes.set_ylim(*np.arcsinh([-NORM_LIMIT, NORM_LIMIT]))
    set_ticks(axes.yaxis, np.arcsinh(NORM_TICKS), [f"{tick}".replace("-", "−") for tick in NORM_TICKS])
    axes.set_title("estimate of |G|² from each step, over the true |G|² (dashed: 1); orange: negative", y=1.0)


def draw_meter(axes, watched: Watched) -> None:
    """Draw the noise scale of the window with its interval, the plug-in, the truth and the batch."""
    steps = np.log10(list(watched.meters))

    def height(scales) -> np.ndarray:
        return np.log10(np.clip(scales, *np.power(10, SCALE_LIMITS)))

    intervals = np.array([meter.interval for meter in watched.meters.values()])
    axes.fill_between(steps, *height(intervals).T, color=COLOURS["blue"], alpha=0.2, lw=0)
    plug_ins = [watched.plug_in(meter) for meter in watched.meters.values()]
    axes.plot(steps, height(plug_ins), color=COLOURS["grey"], lw=1.5)
    values = height([meter.value for meter in watched.meters.values()])
    axes.plot(
        steps, values, "o-", ms=2.5, mew=0, color=COLOURS["blue"], lw=1.5
    )  # dots, as one between two gaps has no line
    true, batch = watched.true_scale, watched.setting.batch
    marks = (true, f"true: {figures(true)}", "black", "--"), (batch, f"batch: {batch}", COLOURS["grey"], ":")
    for scale, text, colour, dashes in marks:
        axes.axhline(np.log10(scale), color=colour, ls=dashes, lw=1)
        side, shift = ("bottom", 0.05) if scale == max(true, batch) else ("top", -0.1)
        axes.text(0, np.log10(scale) + shift, text, va=side, fontsize=9, color=colour)
    axes.set_ylim(*SCALE_LIMITS)
    set_ticks(axes.yaxis, range(len(SCALE_TICKS)), SCALE_TICKS)
    axes.set_title("noise scale (examples): meter (blue; gap: not resolved), plug-in (grey)", y=1.0)


def reading(watched: Watched) -> str:
    """Return the truth, what the meter says, and what three wrong ways would say."""
    return " ".join([verdict(watched), negatives(watched), wrong_ways(watched)])


def verdict(watched: Watched) -> str:
    """Return the truth and the meter's value."""
    meter, steps = watched.last, len(watched.estimates)
    if meter.num_steps < MIN_STEPS:
        says = f"too few to know their own spread; at least {MIN_STEPS} are needed"
    elif meter.resolved:
        low, high = meter.interval
        says = f"<b>{figures(meter.value)}</b>, interval {figures(low)} to {figures(high)}"
    else:
        says = f"<b>not resolved</b>, at least {figures(meter.interval[0])}"
    window = "1 step" if watched.setting.window == 1 else f"{watched.setting.window} steps"
    return f"True noise scale: {figures(watched.true_scale)} examples. Meter after {steps} steps, with a window of {window}: {says}."


def negatives(watched: Watched) -> str:
    """Return how many single estimates are negative, and their mean."""
    mean = watched.estimates[:, 1].mean() / watched.setting.truth[1]
    return (
        f"Of the single estimates of |G|², {100 * watched.negative:.0f} % are negative; "
        f"the mean of all {len(watched.estimates)} is {mean:.2f} times the true |G|².".replace("-", "−")
    )


def wrong_ways(watched: Watched) -> str:
    """Return what the plug-in and the mean of the steps' ratios say."""
    batch, scale = watched.setting.batch, watched.true_scale
    ratios = watched.estimates[:, 0] / watched.estimates[:, 1]
    return (
        f"Wrong ways: the plug-in says {figures(watched.plug_in(watched.last))}, and however long it averages it heads for "
        f"{figures(1 / (1 / scale + 1 / batch))}, below the batch of {batch}; the mean of the steps' own ratios is {signed(ratios.mean())}."
    )


def signed(number: float) -> str:
    """Return a number to three figures, of either sign."""
    return f"{'−' if number < 0 else ''}{figures(abs(number))}"


def explain(low: float, high: float, because: str):
    """Return what to say to the prediction that a share between low and high of the single estimates is negative."""

    def explanation(watched: Watched) -> str:
        steps = islice(chain.from_iterable(stream(watched.setting)), NUM_STEPS)
        estimates = np.array([squared_norm for _, squared_norm in steps])
        share, spread = (estimates < 0).mean(), estimates.std() / watched.setting.truth[1]
        return (
            f"{'Yes' if low <= share < high else 'No'}: of {NUM_STEPS} steps, {100 * share:.0f} % give a negative estimate; the "
            f"standard deviation of the estimates is {spread:.1f} times the true |G|². {because}"
        )

    return explanation


def demo() -> Demo:
    """Return the demo with its first setting: 8 micro-batches of 32, a window of 300 steps, where 10 % of the excess loss is left."""
    first = Setting("10 % left", micro_batch=32, pieces=8, window=300)
    trace, squared_norm = first.truth

    return Demo(
        title="A meter for the noise scale",
        controls={
            "where": slider("where on the run (excess loss)", list(SHARES), first.where),
            "micro_batch": slider("micro-batch (examples)", [2**power for power in range(9)], first.micro_batch),
            "pieces": slider("micro-batches a step", [2**power for power in range(1, 7)], first.pieces),
            "window": slider("window (steps averaged)", [1, 10, 30, 100, 300, 1000], first.window),
        },
        compute=compute,
        refine=refine,
        film=True,
        draw=draw,
        reading=reading,
        question=(
            f"a step takes {first.batch} examples in {first.pieces} micro-batches of {first.micro_batch}, and the noise scale is "
            f"{figures(trace / squared_norm)} examples. Each step gives one unbiased estimate of |G|². How many of them are negative?"
        ),
        predictions={
            "none": explain(
                0,
                0.01,
                "A squared norm is never negative, but the estimate is the batch's squared norm less the noise in it, as far as the step shows it.",
            ),
            "about one in ten": explain(
                0.01,
                0.25,
                "So few would take a batch close to the noise scale; this one is far below.",
            ),
            "more than a third": explain(
                0.25,
                1,
                "Unbiased means right on average, and says nothing about a single estimate.",
            ),
        },
        size=(7.5, 4.8),
    )
