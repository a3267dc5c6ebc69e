"""Demo of lesson 09: one optimizer step as a timeline of computation and communication."""

from dataclasses import dataclass

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch

from largebatch import collectives
from largebatch.collectives import Timeline
from largebatch.demos.canvas import set_ticks
from largebatch.demos.instrument import COLOURS, Demo, slider

BYTES_PER_PARAMETER = 2  # 16-bit parameters and gradients are sent
FLOPS_PER_SECOND = 4e14  # of one GPU: 40 % of the peak of an H100
LATENCY = 1e-5  # seconds a message
LAYERS = {1e8: 12, 1e9: 24, 7e9: 32, 7e10: 80}  # parameters → layers
STRATEGIES = [("DDP", "ddp"), ("DDP with no_sync", "ddp no_sync"), ("ZeRO-2", "zero2"), ("ZeRO-3", "zero3")]
NETWORKS = [  # GB/s that one rank can send
    ("1.25 GB/s Ethernet", 1.25), ("12.5 GB/s Ethernet", 12.5), ("25 GB/s InfiniBand", 25), ("50 GB/s InfiniBand", 50),
    ("300 GB/s NVLink", 300), ("450 GB/s NVLink", 450),
]  # fmt: skip
WIDTH, HEIGHT = 660, 46  # of the drawing, in columns (one a pixel) and rows
WAITS = 0.85  # grey
ROWS = {  # kind → rows of the drawing from above, colour
    "forward": (slice(10, 24), "sky"),
    "backward": (slice(10, 24), "blue"),
    "all-gather": (slice(30, 37), "green"),
    "all-reduce": (slice(30, 44), "red"),
    "reduce-scatter": (slice(37, 44), "orange"),
}


@dataclass(frozen=True)
class Step:
    """One optimizer step of a model on a machine; tokens are those of a micro-batch."""

    num_params: float
    num_ranks: int
    gigabytes_per_second: float
    tokens: int
    accumulation_steps: int
    strategy: str
    timeline: Timeline

    @property
    def num_bytes(self) -> float:
        """Of all parameters, and of all gradients."""
        return BYTES_PER_PARAMETER * self.num_params

    @property
    def sent(self) -> float:
        """Bytes that one rank sends in a step."""
        return collectives.step_bytes(self.strategy, self.num_bytes, self.num_ranks, self.accumulation_steps)

    @property
    def num_collectives(self) -> int:
        """One a layer, each time that all layers are sent."""
        return LAYERS[self.num_params] * sum(collectives.passes(self.strategy, self.accumulation_steps).values())


def compute(num_params, num_ranks, gigabytes_per_second, tokens, accumulation_steps, strategy, overlap) -> Step:
    """Return the step; a forward pass takes 2 operations for each parameter and token."""
    layers = LAYERS[num_params]
    events = collectives.timeline(
        strategy, layers, BYTES_PER_PARAMETER * num_params / layers, 2 * num_params / layers * tokens / FLOPS_PER_SECOND,
        num_ranks, 1e9 * gigabytes_per_second, LATENCY, accumulation_steps, overlap,
    )  # fmt: skip
    return Step(num_params, num_ranks, gigabytes_per_second, tokens, accumulation_steps, strategy, events)


def draw(axes, step: Step) -> None:
    """Draw what is computed above what is sent; where nothing is computed, the row is grey."""
    events, drawing = step.timeline, np.ones((HEIGHT, WIDTH, 3))
    drawing[ROWS["forward"][0]] = WAITS
    shown = [Patch(color=str(WAITS), label="waits")]
    for kind, (rows, name) in ROWS.items():
        chosen = events.kind == kind
        if chosen.any():
            busy = busy_share(events.start[chosen], events.end[chosen], events.seconds)[:, None]
            strength = np.where(busy > 0, 0.2 + 0.8 * busy, 0)  # little is paler, never invisible
            drawing[rows] += strength * (to_rgb(COLOURS[name]) - drawing[rows])
            shown.append(Patch(color=COLOURS[name], label=kind))
    factor, unit = (1, "seconds") if events.seconds >= 1 else (1000, "milliseconds")
    axes.imshow(drawing, extent=(0, factor * events.seconds, 0, HEIGHT), aspect="auto", interpolation="nearest")
    axes.set(xlabel=f"time ({unit}); paler: only a part of the time")
    set_ticks(axes.yaxis, [9, 29], ["send", "compute"])
    axes.tick_params(axis="y", length=0)
    axes.set_title("400 TFLOP/s a GPU, 2 bytes a parameter and gradient, 10 µs a message")
    axes.legend(handles=shown, loc="upper left", ncols=5, columnspacing=1.2, handlelength=1.2)


def busy_share(start, end, seconds: float) -> np.ndarray:
    """Return for each column of the drawing the share of its time in which one of these events runs, shape (WIDTH,)."""
    times = np.column_stack([start, end]).ravel()
    spent = np.cumsum(np.column_stack([np.zeros(len(start)), end - start]).ravel())  # until each of these times
    busy = np.diff(np.interp(np.linspace(0, seconds, WIDTH + 1), times, spent)) * WIDTH / seconds
    return np.clip(busy, 0, 1)  # rounding


def reading(step: Step) -> str:
    """Return the length of the step, its waiting, what is sent, and the tokens a second."""
    events = step.timeline
    tokens = step.num_ranks * step.accumulation_steps * step.tokens
    sends = (
        f"Each rank sends {step.sent / 1e9:,.4g} GB in {step.num_collectives:,} collectives, which take "
        f"{duration(events.communication_seconds)} in all."
    )
    return (
        f"A step takes <b>{duration(events.seconds)}</b>: {duration(events.compute_seconds)} of computation and "
        f"{duration(events.exposed_seconds)} of waiting for communication, <b>{share(events.exposed_seconds / events.seconds)}</b> of the step. "
        f"{sends if step.num_ranks > 1 else 'A single rank sends nothing.'} "
        f"{tokens:,} tokens a step, {tokens / events.seconds:,.0f} a second."
    )


def share(part: float) -> str:
    """Return a share in percent; next to nothing is not nothing, nor is nearly all all."""
    if part < 1e-9 or 0.005 <= part < 0.995:
        return f"{part:.0%}"
    return "less than 1%" if part < 0.5 else "more than 99%"


def duration(seconds: float) -> str:
    """Return a time with three digits."""
    if seconds >= 100:
        return f"{seconds:,.0f} s"
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"


def explain(low: float, high: float, because: str):
    """Return what to say to the prediction that no_sync shortens the step to between these shares."""

    def explanation(step: Step) -> str:
        each = synchronised(step)
        left = step.timeline.seconds / each.timeline.seconds
        return (
            f"{'Yes' if low <= left < high else 'No'}: {duration(each.timeline.seconds)} become {duration(step.timeline.seconds)}, "
            f"{left:.0%}, while {each.sent / 1e9:.4g} GB become {step.sent / 1e9:.4g} GB. {because}"
        )

    return explanation


def synchronised(step: Step) -> Step:
    """Return the same step with an all-reduce in each micro-batch."""
    machine = step.num_params, step.num_ranks, step.gigabytes_per_second, step.tokens, step.accumulation_steps
    return compute(*machine, "ddp", overlap=True)


def demo() -> Demo:
    """Return the demo with its first setting: a model of 7 billion parameters on 8 ranks, four micro-batches, DDP with no_sync."""
    first = compute(7e9, 8, 50, 4096, 4, "ddp no_sync", True)
    return Demo(
        title="The timeline of a step",
        controls={
            "num_params": slider(
                "model (parameters, layers)",
                [(f"{params / 1e9:g} B, {layers} layers", params) for params, layers in LAYERS.items()],
                first.num_params,
            ),
            "num_ranks": slider("ranks", [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024], first.num_ranks),
            "gigabytes_per_second": slider("what a rank can send", NETWORKS, first.gigabytes_per_second),
            "tokens": slider("micro-batch (tokens)", [1024, 2048, 4096, 8192, 16384, 32768], first.tokens),
            "accumulation_steps": slider("accumulation steps", [1, 2, 3, 4, 6, 8, 12, 16], first.accumulation_steps),
            "strategy": slider("strategy", STRATEGIES, first.strategy),
            "overlap": slider("overlap of the two", [("off", False), ("on", True)], True),
        },
        compute=compute,
        draw=draw,
        reading=reading,
        question=(
            f"a model of 7 billion parameters runs on {first.num_ranks} ranks, {first.accumulation_steps} micro-batches of {first.tokens} tokens a "
            f"step. DDP all-reduces after every one of them, and a step takes {duration(synchronised(first).timeline.seconds)}. With no_sync it does "
            "so after the last one only, and sends a quarter of the bytes. The step then takes…"
        ),
        predictions={
            "a quarter of that": explain(
                0, 0.3, "Bytes are not time: the computation stays, and part of the communication was hidden behind it."
            ),
            "about three quarters": explain(
                0.6, 0.9, "What is saved is the waiting after three of the four micro-batches; the computation stays."
            ),
            "the same: DDP overlaps": explain(
                0.95,
                1.05,
                "DDP hides what fits behind a backward pass. Here an all-reduce takes longer than that, and the rest sticks out.",
            ),
        },
    )
