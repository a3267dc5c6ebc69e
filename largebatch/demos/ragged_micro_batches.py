"""Demo of lesson 02: micro-batches that hold different numbers of tokens, and how far the mean of their means goes wrong."""

from dataclasses import dataclass

import ipywidgets as widgets
import numpy as np

from largebatch.accumulation import mean_of_means, token_mean
from largebatch.demos.instrument import COLOURS, Demo

NUM_STEPS = 400  # optimizer steps that are drawn; the picture shows the first
MEAN_LOSS, TOKEN_SPREAD = 2.0, 2.0  # nats; the losses of single tokens scatter by TOKEN_SPREAD
LONGEST = 1024  # tokens


@dataclass(frozen=True)
class Ragged:
    """Micro-batches of NUM_STEPS optimizer steps, arrays of shape (NUM_STEPS, accumulation_steps), and the two means of each step."""

    num_tokens: np.ndarray
    mean_losses: np.ndarray
    means: np.ndarray  # mean of means, nats, shape (NUM_STEPS,)
    truth: np.ndarray  # mean over tokens, nats, shape (NUM_STEPS,)

    @property
    def error(self) -> np.ndarray:
        """Mean of means minus mean over tokens, nats, one number a step."""
        return self.means - self.truth


def compute(accumulation_steps: int, length_ratio: float, slope: float) -> Ragged:
    """Draw lengths between LONGEST / length_ratio and LONGEST, and losses that change by slope nats from shortest to longest."""
    rng = np.random.default_rng(5)
    position = rng.random((NUM_STEPS, accumulation_steps))  # 0: the shortest possible, 1: the longest
    num_tokens = np.rint(LONGEST * length_ratio ** (position - 1)).astype(int)
    noise = TOKEN_SPREAD / np.sqrt(num_tokens) * rng.standard_normal(position.shape)  # of a mean over so many tokens
    mean_losses = np.maximum(MEAN_LOSS + slope * (position - 0.5) + noise, 0.05)
    means, truth = mean_of_means(mean_losses), token_mean(num_tokens, mean_losses)
    return Ragged(num_tokens, mean_losses, means, truth)


def draw(axes, ragged: Ragged) -> None:
    """Draw the micro-batches of the first step as blocks, as wide as their tokens and as high as their loss, and both means."""
    order = np.argsort(-ragged.num_tokens[0])
    widths, heights = ragged.num_tokens[0][order], ragged.mean_losses[0][order]
    edges = np.concatenate([[0], np.cumsum(widths)])
    axes.bar(edges[:-1], heights, widths, align="edge", color=COLOURS["sky"], edgecolor="white")
    axes.axhline(ragged.means[0], color=COLOURS["red"], lw=2, ls="--", label=f"mean of means {ragged.means[0]:.2f}")
    axes.axhline(ragged.truth[0], color=COLOURS["blue"], lw=2, label=f"mean over tokens {ragged.truth[0]:.2f}")
    axes.set(xlabel="tokens, micro-batch after micro-batch, longest first", ylabel="loss (nats)", xlim=(0, edges[-1]))
    axes.set_ylim(0, 4.2)
    axes.legend(loc="upper right", ncols=2)


def reading(ragged: Ragged) -> str:
    """Return both means of the step that is drawn, and the error over all steps."""
    return (
        f"In this step the mean of the means is {ragged.means[0]:.2f} nats where the mean over tokens is "
        f"{ragged.truth[0]:.2f}. Over {NUM_STEPS} such steps it is off by <b>{ragged.error.mean().round(2) + 0:+.2f}</b> "
        f"on average, and scatters by {ragged.means.std():.3f} from step to step, the mean over tokens by {ragged.truth.std():.3f}."
    )


def explain(sign: int):
    """Return what to say to the prediction that the mean of means is too high (+1), too low (-1) or right (0) on average."""

    def explanation(ragged: Ragged) -> str:
        error = ragged.error.mean()
        verdict = "Yes" if sign == np.sign(error) else "No"
        because = {
            1: "A token of a short micro-batch counts for more than one of a long one, and here the short ones have the higher loss.",
            0: "It would be right on average if short and long micro-batches were equally hard; here they are not.",
            -1: "The long micro-batches with their low loss count for too little, not for too much.",
        }
        return f"{verdict}: over {NUM_STEPS} steps it is off by {error:+.2f} nats on average. {because[sign]}"

    return explanation


def demo() -> Demo:
    """Return the demo with its first setting: 8 micro-batches, lengths up to tenfold apart, short ones harder."""
    return Demo(
        title="Micro-batches of different lengths",
        controls={
            "accumulation_steps": widgets.IntSlider(description="micro-batches in a step", min=1, max=32, value=8),
            "length_ratio": widgets.SelectionSlider(
                description="longest / shortest", options=[1, 2, 3, 5, 10, 30], value=10
            ),
            "slope": widgets.FloatSlider(
                description="loss of long minus short (nats)", min=-1.5, max=1.5, step=0.25, value=-1.5
            ),
        },
        compute=compute,
        draw=draw,
        reading=reading,
        question=(
            "a step has 8 micro-batches, the longest up to 10 times as long as the shortest, and the shortest have "
            "a loss 1.5 nats above the longest. On average over many steps, the mean of the 8 means is…"
        ),
        predictions={"too high": explain(1), "right": explain(0), "too low": explain(-1)},
    )
