"""Demo of lesson 08: the memory of one rank at each ZeRO stage, and whether it fits on a GPU."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from largebatch.demos.canvas import set_ticks
from largebatch.demos.instrument import COLOURS, Demo, slider
from largebatch.memory import CONVENTIONS, ModelState, model_state_bytes, peak_activation_bytes

STAGES = (0, 1, 2, 3)
LENGTH = 2048  # tokens of a sequence
GIGABYTE = 1e9


class Shape(NamedTuple):
    """A published model: what its name says of its size, and its layers."""

    num_params: float
    num_layers: int
    width: int
    heads: int
    vocabulary: int


# GPT-3: Brown et al. 2020 (arXiv 2005.14165), table 2.1. LLaMA: Touvron et al. 2023 (2302.13971), table 2. Llama 3: Grattafiori et al. 2024
# (2407.21783), table 3. Their MLPs and key heads differ; the activations are counted as in a GPT layer of the same width.
SHAPES = {
    "0.125B, GPT-3": Shape(0.125e9, 12, 768, 12, 50_257),
    "0.76B, GPT-3": Shape(0.76e9, 24, 1536, 16, 50_257),
    "2.7B, GPT-3": Shape(2.7e9, 32, 2560, 32, 50_257),
    "7B, LLaMA": Shape(7e9, 32, 4096, 32, 32_000),
    "13B, LLaMA": Shape(13e9, 40, 5120, 40, 32_000),
    "33B, LLaMA": Shape(33e9, 60, 6656, 52, 32_000),
    "70B, Llama 3": Shape(70e9, 80, 8192, 64, 128_000),
    "175B, GPT-3": Shape(175e9, 96, 12_288, 96, 50_257),
    "405B, Llama 3.1": Shape(405e9, 126, 16_384, 128, 128_000),
}
RECOMPUTED = {"nothing": "none", "attention (flash)": "selective", "whole layers": "full"}
PARTS = {"parameters": "blue", "gradients": "orange", "optimizer": "green", "activations": "sky"}


@dataclass(frozen=True)
class Ledger:
    """Bytes on one rank: model states by stage, and activations, which are the same at every stage."""

    model: str
    num_ranks: int
    convention: str
    gpu_bytes: float
    states: dict[int, ModelState]
    activations: float

    def parts(self, stage: int) -> tuple[float, ...]:
        """Bytes of each of PARTS."""
        return *self.states[stage], self.activations

    def total(self, stage: int) -> float:
        """Bytes of all parts."""
        return self.states[stage].total + self.activations

    def spare(self, stage: int) -> float:
        """Bytes that are left on the GPU; negative where it does not fit."""
        return self.gpu_bytes - self.total(stage)


def kept_for_backward(shape: Shape, micro_batch: int, recompute: str) -> float:
    """Return the bytes of activations at their peak."""
    return peak_activation_bytes(
        shape.num_layers, micro_batch, LENGTH, shape.width, shape.heads, shape.vocabulary, recompute
    )


def compute(model: str, num_ranks: int, convention: str, gpu: int, micro_batch: int, recompute: str) -> Ledger:
    """Return the ledger; gpu in GB."""
    shape = SHAPES[model]
    states = {stage: model_state_bytes(shape.num_params, stage, num_ranks, convention) for stage in STAGES}
    return Ledger(
        model, num_ranks, convention, gpu * GIGABYTE, states, kept_for_backward(shape, micro_batch, recompute)
    )


def shown_bytes(ledger: Ledger) -> float:
    """Return where the axis ends: soon after the GPU's memory, for there it is decided what fits, or earlier, at the longest bar.

    Where even the shortest bar is longer, that one is shown whole.
    """
    totals = [ledger.total(stage) for stage in STAGES]
    longest = max(totals) if max(totals) < ledger.gpu_bytes / 4 else max(*totals, ledger.gpu_bytes)
    return min(max(2 * ledger.gpu_bytes, 1.3 * min(totals)), 1.25 * longest)


def draw(axes, ledger: Ledger) -> None:
    """Draw a stacked bar for each stage, cut off at the end of the axis, and the GPU's memory as a line."""
    end, gpu = shown_bytes(ledger) / GIGABYTE, ledger.gpu_bytes / GIGABYTE
    sizes = np.array([ledger.parts(stage) for stage in STAGES]) / GIGABYTE
    totals = sizes.sum(axis=1)
    starts = sizes.cumsum(axis=1) - sizes
    colours = np.repeat([COLOURS[colour] for colour in PARTS.values()], len(STAGES))
    bars = axes.barh(STAGES * len(PARTS), sizes.T.ravel(), left=starts.T.ravel(), height=0.62, color=colours)
    axes.legend(
        bars.patches[:: len(STAGES)], list(PARTS), ncols=4, loc="lower right", bbox_to_anchor=(1, 0.99), fontsize=9,
        handlelength=0.9, columnspacing=1.1,
    )  # fmt: skip
    if gpu < end:
        axes.axvline(gpu, color="black", lw=1.5, ls="--")
        axes.text(gpu, -0.52, f" {gpu:.0f} GB GPU ", ha="left" if gpu < 0.2 * end else "right", va="center", fontsize=9)
    else:
        axes.text(end, -0.52, f"{gpu:.0f} GB GPU ▸", ha="right", va="center", fontsize=9)
    for stage, total in zip(STAGES, totals, strict=True):
        place, side = (total + 0.012 * end, "left") if total < 0.86 * end else (0.99 * end, "right")
        label = f"{amount(total * GIGABYTE)}{' ▸' if total > end else ''}"
        colour = "black" if ledger.spare(stage) >= 0 else COLOURS["red"]
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
        axes.text(place, stage, label, ha=side, va="center", color=colour, fontsize=10, bbox=box)
    set_ticks(axes.yaxis, STAGES, ["0: nothing", "1: optimizer", "2: + gradients", "3: + parameters"])
    axes.set(xlim=(0, end), ylim=(3.5, -0.75), xlabel="memory of one rank (GB)")
    axes.set_title("ZeRO stage: what is sharded", x=-0.21)
    axes.figure.subplots_adjust(left=0.18)  # room for the names


def reading(ledger: Ledger) -> str:
    """Return for each stage whether it fits, and by how much."""
    size, each = ledger.model.split(",")[0], CONVENTIONS[ledger.convention].total
    return (
        f"{size} parameters × {each} bytes on {count(ledger.num_ranks, 'rank')}, GPUs of {ledger.gpu_bytes / GIGABYTE:.0f} GB: "
        f"{'; '.join(f'stage {stage} {verdict(ledger.spare(stage))}' for stage in STAGES)}. At every stage "
        f"{amount(ledger.activations)} are activations; at stage 3 a rank holds {amount(ledger.states[3].total)} of model states "
        "(before gathered layers)." + (" " + what_is_left(ledger) if ledger.spare(3) < 0 else "")
    )


def verdict(spare: float) -> str:
    """Return whether it fits, from the bytes that are left."""
    return f"<b>fits</b>, {amount(spare)} to spare" if spare >= 0 else f"<b>does not fit</b>, by {amount(-spare)}"


def what_is_left(ledger: Ledger) -> str:
    """Return what to change where not even stage 3 fits."""
    if ledger.activations >= ledger.gpu_bytes:
        return "The activations alone are too much: no sharding of model states helps, but a smaller micro-batch or more recomputation does (or tensor parallelism)."
    room = ledger.gpu_bytes - ledger.activations
    enough = -int(-ledger.states[0].total // room)
    return f"Stage 3 would need {enough:,} ranks."


def amount(num_bytes: float) -> str:
    """Return bytes in words, as GB or MB."""
    gigabytes = num_bytes / GIGABYTE
    if gigabytes < 0.1:
        return f"{1000 * gigabytes:.1f} MB"
    return f"{gigabytes:,.0f} GB" if gigabytes >= 100 else f"{gigabytes:.1f} GB"


def count(number: int, noun: str) -> str:
    """Return the number with its noun, "1 rank" or "2 ranks"."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def explain(predicted: str):
    """Return what to say to somebody who predicts what stage 1 leaves of the model states: all over the ranks, the optimizer only, half."""

    def explanation(ledger: Ledger) -> str:
        whole, sharded = ledger.states[0], ledger.states[1]
        truth = (
            f"parameters and gradients stay, {amount(sharded.parameters + sharded.gradients)}; the optimizer's "
            f"{amount(whole.optimizer)} are divided by {ledger.num_ranks}. Together {amount(sharded.total)}."
        )
        return {
            "an eighth": f"No: that is stage 3, which shards everything. At stage 1 {truth}",
            "a third": f"Yes: {truth}",
            "most": f"No: the optimizer is the largest part, not the smallest. At stage 1 {truth}",
        }[predicted]

    return explanation


def demo() -> Demo:
    """Return the demo with its first setting: 7B on 8 GPUs of 80 GB."""
    conventions = [(f"{name}, {convention.total} B", name) for name, convention in CONVENTIONS.items()]
    conventions.sort(key=lambda option: CONVENTIONS[option[1]].total)
    return Demo(
        title="Memory ledger of one rank",
        controls={
            "model": slider("model", list(SHAPES), "7B, LLaMA"),
            "num_ranks": slider("ranks", [2**power for power in range(11)], 8),
            "convention": slider("bytes a parameter", conventions, "ZeRO paper"),
            "gpu": slider("memory of a GPU (GB)", [16, 24, 40, 80, 141], 80),
            "micro_batch": slider("micro-batch (sequences of 2048 tokens)", [1, 2, 4, 8, 16, 32], 1),
            "recompute": slider("computed again in the backward pass", list(RECOMPUTED.items()), "selective"),
        },
        compute=compute,
        draw=draw,
        reading=reading,
        question=(
            "7 billion parameters at 16 bytes are 112 GB of model states on each of 8 ranks. ZeRO stage 1 shards the optimizer's part. "
            "What stays on a rank is about…"
        ),
        predictions={"14 GB": explain("an eighth"), "38 GB": explain("a third"), "100 GB": explain("most")},
    )
