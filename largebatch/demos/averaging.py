"""Demo of lesson 00: how much an average over a batch still scatters."""

from dataclasses import dataclass
from functools import cache

import ipywidgets as widgets
import numpy as np
from matplotlib.patches import StepPatch

from largebatch.demos.instrument import COLOURS, Demo

TRUE_VALUE = 1.0
NUM_BATCHES, LARGEST_BATCH = 1000, 1024
WINDOW = (-9.0, 25.0)


@dataclass(frozen=True)
class Scatter:
    """Averages of many batches. averages: shape (NUM_BATCHES,); measured and predicted: their spread, measured and by the rule."""

    batch_size: int
    spread: float
    averages: np.ndarray
    measured: float
    predicted: float


@cache
def examples() -> np.ndarray:
    """Return skewed examples with mean 0 and spread 1, shape (NUM_BATCHES, LARGEST_BATCH); the same ones for every setting."""
    return np.random.default_rng(0).exponential(size=(NUM_BATCHES, LARGEST_BATCH)).astype(np.float32) - 1


def compute(batch_size: int, spread: float) -> Scatter:
    """Average the first batch_size examples of every batch."""
    averages = TRUE_VALUE + spread * examples()[:, :batch_size].mean(axis=1)
    return Scatter(batch_size, spread, averages, float(averages.std()), spread / batch_size**0.5)


def draw(axes, scatter: Scatter) -> None:
    """Draw the histogram of the averages; the window never changes, so that it is seen to narrow and widen."""
    heights, edges = np.histogram(scatter.averages, bins=150, range=WINDOW)
    axes.add_artist(StepPatch(heights, edges, fill=True, color=COLOURS["sky"]))  # axes.stairs spends its time on limits
    axes.set_ylim(0, 1.05 * heights.max())
    axes.axvline(TRUE_VALUE, color=COLOURS["red"], lw=1.5)
    low, high = TRUE_VALUE - scatter.predicted, TRUE_VALUE + scatter.predicted
    axes.axvspan(low, high, color=COLOURS["orange"], alpha=0.25)
    axes.set(xlabel="average gradient of a batch", ylabel=f"batches out of {NUM_BATCHES}", xlim=WINDOW)
    outside = int((scatter.averages > WINDOW[1]).sum())
    note = f"; {outside} batches lie further right" if outside else ""
    axes.set_title(f"line: true value; band: plus and minus spread / √batch{note}")


def reading(scatter: Scatter) -> str:
    """Return the reading in words."""
    return (
        f"{NUM_BATCHES} averages over {scatter.batch_size} of these examples scatter by <b>{scatter.measured:.3g}</b> around the true value "
        f"{TRUE_VALUE:g}; the rule spread / √batch says {scatter.predicted:.3g}."
    )


def explain(factor: float):
    """Return what to say to the prediction that the scatter falls by this factor."""

    def explanation(scatter: Scatter) -> str:
        fell = scatter.spread / scatter.measured
        verdict = "Yes" if abs(factor / fell - 1) < 0.2 else "No"
        because = {
            1.0: "Averaging cancels part of the noise: examples that are too high meet examples that are too low.",
            4.0: "The noise of an average falls with the square root of the number of examples, and √16 = 4.",
            16.0: "Sixteen is the factor by which the <i>variance</i>, the square of the scatter, falls.",
        }
        return f"{verdict}: it fell {fell:.1f} times, from {scatter.spread:.3g} to {scatter.measured:.3g}. {because[factor]}"

    return explanation


def demo() -> Demo:
    """Return the demo with its first setting: batches of 16."""
    sizes = [2**power for power in range(11)]
    return Demo(
        title="Averages of noisy examples",
        controls={
            "batch_size": widgets.SelectionSlider(description="batch size (examples)", options=sizes, value=16),
            "spread": widgets.FloatSlider(description="spread of one example", min=0.5, max=8, step=0.5, value=4),
        },
        compute=compute,
        draw=draw,
        reading=reading,
        question="single examples scatter by 4 around the true value. How many times smaller is the scatter of averages over 16?",
        predictions={
            "as large as before": explain(1.0),
            "4 times smaller": explain(4.0),
            "16 times smaller": explain(16.0),
        },
    )
