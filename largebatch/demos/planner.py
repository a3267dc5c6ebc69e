"""Demo of lesson 10: how long a run takes on more and more GPUs, between the floor of communication and the ceiling of the critical batch."""

from dataclasses import dataclass

import numpy as np

from largebatch import tradeoff
from largebatch.compute_law import training_flops
from largebatch.demos.canvas import set_ticks
from largebatch.demos.instrument import COLOURS, Demo, slider

BYTES_PER_PARAMETER = 2  # 16-bit gradients are sent
FLOPS_PER_SECOND = 4e14  # of one GPU: 40 % of the peak of an H100
LENGTH = 2048  # tokens of a sequence; a GPU computes at least one in a step
PRICE = 2.5  # dollars for a GPU and hour
DAY, HOUR = 86_400, 3600
GPUS = 2 ** np.arange(1, 15)
PARAMETERS = [1e9, 3e9, 7e9, 13e9, 30e9, 70e9]
TOKENS = [20, 50, 100, 300, 1000]  # for each parameter
CRITICAL = [0.25, 0.5, 1, 2, 4, 8, 16, 32]  # million tokens
NETWORKS = [  # GB/s that one GPU can send
    ("1.25 GB/s Ethernet", 1.25), ("12.5 GB/s Ethernet", 12.5), ("25 GB/s InfiniBand", 25), ("50 GB/s InfiniBand", 50),
    ("300 GB/s NVLink", 300),
]  # fmt: skip


@dataclass(frozen=True)
class Sizing:
    """A run of a model on any number of GPUs; numbers of tokens."""

    num_params: float
    min_tokens: float
    critical_batch: float
    gigabytes_per_second: float
    num_gpus: int

    @property
    def seconds_per_token(self) -> float:
        """On one GPU."""
        return training_flops(self.num_params, 1) / FLOPS_PER_SECOND

    @property
    def overhead(self) -> float:
        """Seconds of an all-reduce of all gradients round a long ring, none of it hidden behind computation."""
        return 2 * BYTES_PER_PARAMETER * self.num_params / (1e9 * self.gigabytes_per_second)

    @property
    def balanced_gpus(self) -> float:
        """GPUs whose best batch is the critical one."""
        return tradeoff.balanced_gpus(self.critical_batch, self.seconds_per_token, self.overhead)

    @property
    def least_seconds(self) -> float:
        """Seconds of computation on one GPU with the smallest batches; N GPUs would scale perfectly with an N-th of it."""
        return self.seconds_per_token * self.min_tokens

    @property
    def floor_seconds(self) -> float:
        """Seconds that no number of GPUs undercuts: the waiting in the fewest steps."""
        return self.overhead * self.min_tokens / self.critical_batch

    def best_batch(self, num_gpus):
        """The best batch where a GPU could compute less than a sequence."""
        return tradeoff.best_batch(num_gpus, self.critical_batch, self.seconds_per_token, self.overhead)

    def batch(self, num_gpus):
        """The best batch, with at least a sequence for each GPU."""
        return np.maximum(self.best_batch(num_gpus), LENGTH * num_gpus)

    def seconds(self, num_gpus):
        """Seconds of the run with that batch."""
        costs = self.min_tokens, self.critical_batch, self.seconds_per_token, self.overhead
        return tradeoff.run_seconds(num_gpus, self.batch(num_gpus), *costs)

    @property
    def shares(self) -> tuple[float, float]:
        """Share of a step in which all wait, and share of the tokens that smaller batches would not have needed."""
        batch = self.batch(self.num_gpus)
        computing = self.seconds_per_token * batch / self.num_gpus
        return self.overhead / (self.overhead + computing), batch / (batch + self.critical_batch)


def compute(num_params, tokens_each, critical_batch, gigabytes_per_second, num_gpus) -> Sizing:
    """Return the sizing; tokens_each: for each parameter, critical_batch in millions of tokens."""
    return Sizing(num_params, tokens_each * num_params, 1e6 * critical_batch, gigabytes_per_second, num_gpus)


def draw(axes, sizing: Sizing) -> None:
    """Draw days against GPUs, with perfect scaling, the floor, and up to where the best batch is the critical one."""
    days, here = sizing.seconds(GPUS) / DAY, sizing.seconds(sizing.num_gpus) / DAY
    perfect, floor = sizing.least_seconds / GPUS / DAY, sizing.floor_seconds / DAY
    low, high = min(floor, days.min()) / 3, days[0] * 2
    left, right = GPUS[0] / 1.2, GPUS[-1] * 1.2
    axes.axvspan(left, np.clip(sizing.balanced_gpus, left, right), color=COLOURS["green"], alpha=0.12, lw=0)
    axes.plot(GPUS, perfect, color=COLOURS["grey"], lw=1.2, ls="--", label="perfect scaling")
    axes.axhline(floor, color=COLOURS["red"], lw=1.2, ls=":", label="floor: waiting alone")
    axes.plot(GPUS, days, color=COLOURS["blue"], lw=2, label="with the best batch")
    axes.plot(sizing.num_gpus, here, "o", color=COLOURS["blue"], ms=8)
    axes.set(xscale="log", yscale="log", xlabel="GPUs", ylabel="time (days)", xlim=(left, right), ylim=(low, high))
    set_ticks(axes.xaxis, GPUS[1::2], [f"{count:,}" for count in GPUS[1::2]])
    decades = 10.0 ** np.arange(np.ceil(np.log10(low)), np.floor(np.log10(high)) + 1)
    set_ticks(axes.yaxis, decades, [f"{days / 1000:,g}k" if days >= 1000 else f"{days:g}" for days in decades])
    axes.minorticks_off()  # there are many, and drawing them takes time
    axes.set_title("green: up to where the best batch is the critical one")
    axes.legend(loc="upper right")


def reading(sizing: Sizing) -> str:
    """Return batch, time, price, what is lost, the floor, and where the best batch is the critical one."""
    num_gpus, seconds = sizing.num_gpus, sizing.seconds(sizing.num_gpus)
    batch = sizing.batch(num_gpus)
    dollars = num_gpus * seconds / HOUR * PRICE
    waiting, wasted = sizing.shares
    balanced, most = sizing.balanced_gpus, sizing.critical_batch / LENGTH
    if balanced <= most:
        limit = f"at {amount(balanced)} GPUs the best batch is the critical one, and the run takes four times that."
    else:
        limit = f"on more than {amount(most)} GPUs, one sequence for each is already more than the critical batch."
    kind = "one sequence a GPU" if batch > 1.001 * sizing.best_batch(num_gpus) else "the best one"
    return (
        f"On {num_gpus:,} GPUs with a batch of {amount(batch)} tokens, {kind}, the run takes <b>{span(seconds)}</b> and costs "
        f"<b>${dollars:,.0f}</b>, {num_gpus * seconds / sizing.least_seconds:,.2f} times the least. Of a step {waiting:.0%} is waiting; of the tokens "
        f"{wasted:.0%} are the price of the batch. No number of GPUs takes less than {span(sizing.floor_seconds)}; {limit}"
    )


def amount(number: float) -> str:
    """Return a large number in three digits."""
    for size, name in ((1e9, " billion"), (1e6, " million")):
        if number >= size:
            return f"{number / size:,.3g}{name}"
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"


def span(seconds: float) -> str:
    """Return a time in hours, days or years."""
    if seconds < 2 * DAY:
        return f"{seconds / HOUR:,.2g} hours"
    return f"{seconds / DAY:,.3g} days" if seconds < 1000 * DAY else f"{seconds / DAY / 365:,.3g} years"


def explain(low: float, high: float, because: str):
    """Return what to say to the prediction that four times the GPUs take a share between these of the time."""

    def explanation(sizing: Sizing) -> str:
        before, after = sizing.seconds(sizing.num_gpus), sizing.seconds(4 * sizing.num_gpus)
        verdict = "Yes" if low < after / before < high else "No"
        return f"{verdict}: {span(before)} become {span(after)}, {after / before:.2f} times as long. {because}"

    return explanation


def demo() -> Demo:
    """Return the demo with its first setting: a model of 7 billion parameters, 20 tokens for each, on 64 GPUs."""
    first = compute(7e9, 20, 4, 12.5, 64)
    return Demo(
        title="How many GPUs?",
        controls={
            "num_params": slider("model (parameters)", [(f"{n / 1e9:g} B", n) for n in PARAMETERS], first.num_params),
            "tokens_each": slider("tokens for each of them", TOKENS, 20),
            "critical_batch": slider("critical batch (tokens)", [(f"{n:g} million", n) for n in CRITICAL], 4),
            "gigabytes_per_second": slider("what a GPU can send", NETWORKS, first.gigabytes_per_second),
            "num_gpus": slider("GPUs", [int(count) for count in GPUS], first.num_gpus),
        },
        compute=compute,
        draw=draw,
        reading=reading,
        question=(
            "a model of 7 billion parameters is trained on 140 billion tokens; its critical batch is 4 million tokens, and each GPU sends "
            f"{first.gigabytes_per_second} GB/s. On 64 of them with the best batch for 64 this takes {span(first.seconds(64))}. On 256 GPUs, with the best batch for those, it takes…"
        ),
        predictions={
            "a quarter of that": explain(
                0, 0.3, "So it would be if nobody waited and larger batches needed no more tokens."
            ),
            "about half of that": explain(
                0.4,
                0.6,
                "The best batch doubles. That halves the steps beyond the fewest and doubles the tokens beyond the fewest.",
            ),
            "as long: the network limits it": explain(
                0.9,
                1.1,
                "Waiting is paid for each step, and larger batches make fewer steps, down to the fewest.",
            ),
        },
    )
