"""Demo of lesson 03: three premises, three rules for the learning rate, and what one step is worth under each."""

from dataclasses import dataclass

import ipywidgets as widgets
import numpy as np

from largebatch.demos.canvas import set_ticks
from largebatch.demos.instrument import COLOURS, Demo
from largebatch.scaling import linear, saturating, square_root

BATCHES = 2.0 ** np.arange(2, 17.01, 0.25)  # examples
RULES = {"same path": "linear", "same noise": "square root", "best step": "saturating"}  # premise → rule
ON_WHITE = {"facecolor": "white", "edgecolor": "none", "pad": 1}  # lines end at a text, not in it
STYLES = {"same path": ("red", "-"), "same noise": ("green", "--"), "best step": ("blue", "-")}


@dataclass(frozen=True)
class Rates:
    """Rates in units of the one tuned for `batch`; rates: premise → array of the shape of BATCHES; at: premise → rate at new_batch."""

    batch: int
    new_batch: int
    noise_scale: int
    premise: str
    rates: dict[str, np.ndarray]
    at: dict[str, float]

    def overshoot(self, premise: str) -> float:
        """Rate over best rate, at new_batch."""
        return self.at[premise] / self.at["best step"]

    def progress(self, premise: str) -> float:
        """Expected fall of the loss in one step, over the largest possible; 2r - r² for a rate of r times the best."""
        return (2 - self.overshoot(premise)) * self.overshoot(premise)


def compute(batch: int, noise_scale: int, new_batch: int, premise: str) -> Rates:
    """Apply the three rules to a step that is the best for `batch`; all sizes in examples."""

    def by_premise(batches) -> dict:
        return {
            "same path": linear(1.0, batch, batches),
            "same noise": square_root(1.0, batch, batches),
            "best step": saturating(1.0, batch, batches, noise_scale),
        }

    at = {name: float(rate) for name, rate in by_premise(new_batch).items()}
    return Rates(batch, new_batch, noise_scale, premise, by_premise(BATCHES), at)


def draw(axes, rates: Rates) -> None:
    """Draw the three rules, the chosen one thick, over the region in which one step raises the expected loss."""
    best = rates.rates["best step"]
    chosen_rate = rates.at[rates.premise]
    low, high = min(best[0], chosen_rate) / 2, max(10 * best[-1], 2 * chosen_rate)
    axes.fill_between(BATCHES, 2 * best, high, color=COLOURS["orange"], alpha=0.2, lw=0)
    for premise, (colour, dashes) in STYLES.items():
        chosen = premise == rates.premise
        label = f"{premise}: {RULES[premise]}"
        axes.plot(BATCHES, rates.rates[premise], dashes, color=COLOURS[colour], lw=3 if chosen else 1.2, label=label)
    marks = (rates.new_batch, "batch to go to", "-", 0.03), (rates.noise_scale, "noise scale", ":", 0.1)
    for batch, name, dashes, height in marks:
        axes.axvline(batch, color=COLOURS["grey"], lw=0.8, ls=dashes)
        side, shift = ("left", 1.1) if batch < 10_000 else ("right", 0.9)
        place = {"transform": axes.get_xaxis_transform(), "ha": side, "fontsize": 9, "bbox": ON_WHITE}
        axes.text(shift * batch, height, name, color=COLOURS["grey"], **place)
    axes.plot(rates.batch, 1, "o", color="black", ms=7, zorder=3)
    axes.plot(rates.new_batch, chosen_rate, "o", color=COLOURS[STYLES[rates.premise][0]], ms=9, zorder=3)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    ticks = BATCHES[::8]
    set_ticks(axes.xaxis, ticks, [f"{tick:.0f}" for tick in ticks])
    powers = 10.0 ** np.arange(np.ceil(np.log10(low)), np.log10(high))
    set_ticks(axes.yaxis, powers, [f"{power:g}" for power in powers])  # plain numbers: setting exponents takes time
    axes.minorticks_off()  # there are many, and drawing them takes time
    axes.set(xlabel="batch (examples)", ylabel="rate / tuned rate", xlim=(BATCHES[0], BATCHES[-1]), ylim=(low, high))
    axes.set_title("black dot: the tuned step; shaded: a step raises the expected loss")
    axes.legend(loc="upper left", frameon=True, edgecolor="none")


def reading(rates: Rates) -> str:
    """Return the chosen rate, how it compares with the best, and what the step is worth."""
    progress = rates.progress(rates.premise)
    gain = f"gains {progress:.0%} of what the best step of this batch gains"
    worth = gain if progress >= 0 else "<b>raises</b> the loss"
    return (
        f"From {rates.batch} to {rates.new_batch} examples, the premise “{rates.premise}” multiplies the rate by "
        f"<b>{shown(rates.at[rates.premise])}</b>. That is {shown(rates.overshoot(rates.premise))} times the best rate for one "
        f"step; on average such a step {worth}."
    )


def shown(factor: float) -> str:
    """Return a factor in two or three digits, never in powers of ten."""
    return f"{factor:,.0f}" if factor >= 100 else f"{factor:.2f}" if factor >= 0.1 else f"{factor:.4f}"


def explain(verdict: str):
    """Return what to say to the prediction that the linear rule makes one step gain more, gain less, or lose."""

    def explanation(rates: Rates) -> str:
        overshoot, progress = rates.overshoot("same path"), rates.progress("same path")
        grown = progress * rates.at["best step"]  # a step gains in proportion to the best rate, times 2r - r²
        truth = "loses" if progress < 0 else "more" if grown > 1 else "less"
        because = {
            "more": "At this batch noise is the smaller part already, and curvature limits the step: it costs the square of the rate.",
            "less": "It does not merely waste part of the gain: past twice the best rate the loss rises.",
            "loses": "Below the best rate the loss falls, and past twice that rate it rises.",
        }
        factor = rates.at["same path"]
        return (
            f"{'Yes' if verdict == truth else 'No'}: {factor:.0f} times the tuned rate is {overshoot:.2f} times the best rate at "
            f"{rates.new_batch} examples. {because[verdict]}"
        )

    return explanation


def demo() -> Demo:
    """Return the demo with its first setting: a step tuned for 64 examples, a noise scale of 1000, the linear rule, 32 times the batch."""
    sizes = [2**power for power in range(3, 17)]
    return Demo(
        title="Three premises, three rules",
        controls={
            "batch": widgets.SelectionSlider(description="tuned for a batch of", options=sizes[:8], value=64),
            "noise_scale": widgets.SelectionSlider(
                description="noise scale (examples)", options=[10, 30, 100, 300, 1000, 3000, 10_000, 30_000], value=1000
            ),
            "new_batch": widgets.SelectionSlider(description="batch to go to", options=sizes, value=2048),
            "premise": widgets.SelectionSlider(
                description="what shall stay the same", options=list(RULES), value="same path"
            ),
        },
        compute=compute,
        draw=draw,
        reading=reading,
        question=(
            "a step is tuned for 64 examples, and the noise scale is 1000. The batch grows 32 times, to 2048, and the linear rule "
            "makes the rate 32 times larger. On average, one such step now lowers the loss…"
        ),
        predictions={
            "by more than before": explain("more"),
            "by less than before": explain("less"),
            "not at all: it raises it": explain("loses"),
        },
    )
