"""What measuring the noise scale costs a training loop: the same steps without it, with NoiseMeter, and the way it is often written.

Every round runs all ways in turn, and a ratio compares two ways in one round, so that other load on the machine hits both alike. One
thread, seconds of the processor.

usage: python benchmarks/noise_scale.py
"""

import os

THREADS = "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"
os.environ.update(dict.fromkeys(THREADS, "1"))  # NumPy and PyTorch read them when they are imported

import time  # noqa: E402
from collections import defaultdict  # noqa: E402
from collections.abc import Callable, Iterator  # noqa: E402
from dataclasses import dataclass  # noqa: E402
from statistics import median  # noqa: E402

import torch  # noqa: E402
from torch import nn  # noqa: E402
from tqdm import trange  # noqa: E402

from largebatch.noise_meter import NoiseMeter  # noqa: E402
from largebatch.noise_scale import NoiseScale, two_batch  # noqa: E402
from largebatch.transformer import blocks  # noqa: E402

ROUNDS = 7
PASSES = 4  # micro-batches of a step
VOCABULARY = 256
GOAL = 0.05  # share of the plain loop's time

PLAIN, METER, COPIES = "plain loop", "NoiseMeter", "copies of .grad"


@dataclass(frozen=True)
class Case:
    """A transformer, its micro-batch (sequences × tokens), and the optimizer steps of one round."""

    width: int
    num_layers: int
    micro_batch: int
    length: int
    steps: int

    def model(self) -> nn.Module:
        return nn.Sequential(
            nn.Embedding(VOCABULARY, self.width),
            blocks(self.num_layers, self.width, heads=4, max_length=self.length),
            nn.LayerNorm(self.width),
            nn.Linear(self.width, VOCABULARY, bias=False),
        )

    def __str__(self) -> str:
        return f"width {self.width}, {self.num_layers} layers, {PASSES} micro-batches of {self.micro_batch} × {self.length} tokens"


CASES = [Case(128, 4, 8, 64, 8), Case(64, 2, 8, 64, 30), Case(32, 2, 4, 16, 100)]


class Copies:
    """The usual way by hand: after each backward pass, one long copy of all gradients, and what it adds to the copy before."""

    def __init__(self, model: nn.Module, micro_batch: int):
        self.model, self.micro_batch, self.noise_scale = model, micro_batch, NoiseScale(100)
        self.last, self.squares = 0.0, []

    def after_pass(self) -> None:
        copy = torch.cat([parameter.grad.flatten() for parameter in self.model.parameters()])
        self.squares.append(((copy - self.last) ** 2).sum().item())
        self.last = copy

    def step(self) -> None:
        small = PASSES * sum(self.squares)  # each loss was divided by PASSES
        whole = (self.last**2).sum().item()
        self.noise_scale.add(*two_batch(small, whole, self.micro_batch, self.micro_batch * PASSES))
        self.last, self.squares = 0.0, []


def idle(*_) -> None:
    """Measure nothing."""


WAYS = {PLAIN: idle, METER: NoiseMeter, COPIES: Copies}


def loop(case: Case, meter_of: Callable[[nn.Module, int], object]) -> Iterator[tuple[float, object]]:
    """Train, and yield the seconds of each optimizer step and what measures."""
    torch.manual_seed(0)
    model = case.model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    meter = meter_of(model, case.micro_batch)
    after_pass, after_window = getattr(meter, "after_pass", idle), getattr(meter, "step", idle)
    rng = torch.Generator().manual_seed(0)
    while True:
        start = time.process_time()
        for _ in range(PASSES):
            tokens = torch.randint(VOCABULARY, (case.micro_batch, case.length + 1), generator=rng)
            logits = model(tokens[:, :-1])
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
            (loss / PASSES).backward()
            after_pass()
        after_window()
        optimizer.step()
        optimizer.zero_grad()
        yield time.process_time() - start, meter


def one_round(case: Case) -> tuple[dict[str, float], dict[str, float]]:
    """Return for each way the seconds of a step and their ratio to the plain loop's: medians over steps that all ways make in turn.

    That both measurements agree is asserted.
    """
    loops = {way: loop(case, meter_of) for way, meter_of in WAYS.items()}
    seconds = defaultdict(list)
    for number in range(case.steps + 1):
        for way in list(WAYS)[:: 1 if number % 2 else -1]:
            spent, _ = next(loops[way])
            if number:  # the first step allocates
                seconds[way].append(spent)
    ours, theirs = (next(loops[way])[1].noise_scale.trace for way in (METER, COPIES))
    assert abs(ours / theirs - 1) < 1e-3, f"tr Σ is {ours} by hooks and {theirs} by copies"
    return tuple(
        {way: median(of(*pair) for pair in zip(seconds[way], seconds[PLAIN], strict=True)) for way in WAYS}
        for of in (lambda spent, _: spent, lambda spent, plain: spent / plain)
    )


def main() -> None:
    torch.set_num_threads(1)
    overhead = {}
    for case in CASES:
        rounds = [one_round(case) for _ in trange(ROUNDS, unit=" rounds", disable=None, leave=False)]
        print(f"\n| {case} | ms a step | more than the plain loop: median (range) |\n|---|---|---|")
        for way in WAYS:
            extra = [ratios[way] - 1 for _, ratios in rounds]
            overhead[case, way] = median(extra)
            spent = median(seconds[way] for seconds, _ in rounds) * 1e3
            print(f"| {way} | {spent:.1f} | {median(extra):.1%} ({min(extra):.1%} to {max(extra):.1%}) |")
        parameters = list(case.model().parameters())
        print(f"\n{sum(parameter.numel() for parameter in parameters):,} parameters in {len(parameters)} tensors")
    share = overhead[CASES[0], METER]
    print(f"\ngoal, at most {GOAL:.0%} in the first case: {'yes' if share <= GOAL else 'NO'}")
    print(f"RESULT overhead={share:.3f}")


if __name__ == "__main__":
    main()
