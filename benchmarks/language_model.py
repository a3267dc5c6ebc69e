"""Steps to a target of a small language model, against batch size and learning rate, and the noise of its gradients on the way.

A transformer of 28 000 weights learns, with Adam at a constant rate, a made-up language whose entropy is known exactly. Every batch holds
new sequences, so there are no epochs. Two tables are written: data/language_sweep.csv, the loss of each run, and data/language_noise.csv,
gradient statistics along the runs with the best rates. What is recorded already is not computed again: the script may be
interrupted at any time, and goes on where it was. It took half an hour of one core's time; deleting the tables starts afresh.

usage: python benchmarks/language_model.py [--device cpu]
"""

import argparse
import csv
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy
from tqdm import tqdm

from largebatch.data import FOLDER, language_sweep
from largebatch.descent import Curves
from largebatch.knee import fit
from largebatch.noise_scale import predicted_law
from largebatch.transformer import blocks

SWEEP, NOISE = FOLDER / "language_sweep.csv", FOLDER / "language_noise.csv"

VOCABULARY, LENGTH = 32, 16  # tokens: kinds of them, and predictions in a sequence
BATCHES = tuple(2**power for power in range(2, 12))  # sequences
NUM_RATES, NUM_SEEDS = 5, 3
TARGETS = (0.4, 0.3, 0.2, 0.15, 0.12)  # nats a token above the entropy
LAST_EXCESS = 0.11  # a run ends here, a little below the hardest target, so that means over seeds can be taken there
GRID_RATIO = 1.15  # between steps at which the loss is evaluated

# -- the language ----------------------------------------------------------------------------------------------------------------


class Language:
    """A stationary Markov chain of order 2: the next token follows the last one or the one before, with equal probability.

    Each of the two has its own table of what may follow it. Rows are Zipf's law, 1/rank, times log-normal factors, so that some patterns are
    frequent and learnt early, most are rare. `following[a, b, c]` is P(c | a, b); `pairs[a, b]` the stationary probability of a, b.
    """

    def __init__(self, size: int = VOCABULARY, seed: int = 0):
        rng = np.random.default_rng(seed)
        weights = np.exp(2 * rng.standard_normal((2, size, size))) / np.arange(1, size + 1)
        after_last, after_one_before = weights / weights.sum(axis=-1, keepdims=True)
        self.following = (after_last[None, :, :] + after_one_before[:, None, :]) / 2
        self.pairs = np.full((size, size), size**-2.0)
        for _ in range(200):
            self.pairs = np.einsum("ab,abc->bc", self.pairs, self.following)
        self.second = self.pairs / self.pairs.sum(axis=1, keepdims=True)  # P(b | a), where a is the first token

    @property
    def entropy(self) -> float:
        """Return the entropy of a token whose two predecessors are known, in nats: no model has a lower expected loss."""
        return -float(np.einsum("ab,abc,abc->", self.pairs, self.following, np.log(self.following)))

    @cached_property
    def cumulative(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the cumulative probabilities of pairs and of followers, both without their last 1."""
        cumulative = self.pairs.cumsum()[:-1], self.following.cumsum(axis=-1)[..., :-1]
        return tuple(torch.tensor(values, dtype=torch.float32) for values in cumulative)

    def sequences(self, count: int, length: int, generator: torch.Generator) -> torch.Tensor:
        """Return tokens of shape (count, length), length ≥ 2, drawn from the stationary chain."""
        of_pairs, of_followers = self.cumulative
        pairs = torch.searchsorted(of_pairs, torch.rand(count, generator=generator))
        tokens = [pairs // len(self.pairs), pairs % len(self.pairs)]
        while len(tokens) < length:
            chance = torch.rand(count, 1, generator=generator)
            tokens.append((chance > of_followers[tokens[-2], tokens[-1]]).sum(dim=1))
        return torch.stack(tokens, dim=1)

    def probabilities(self, tokens: torch.Tensor) -> torch.Tensor:
        """Return the true probabilities of tokens 1, 2, … of each sequence, given those before: shape (count, length - 1, size)."""
        before, last = tokens[:, :-2].numpy(), tokens[:, 1:-1].numpy()
        first = self.second[tokens[:, :1].numpy()]
        return torch.tensor(np.concatenate([first, self.following[before, last]], axis=1), dtype=torch.float32)


# -- one run ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, order=True)
class Cell:
    """One run: batch_size in sequences, Adam's learning rate, and the seed of the initial weights and of the batches."""

    seed: int
    batch_size: int
    rate: float

    @property
    def most_steps(self) -> int:
        """Return where the run is given up: about 1.5 times what the best rate takes."""
        return 100 + 20_000 // self.batch_size


class LanguageModel(nn.Module):
    """Two blocks of width 32 between embeddings and logits; maps tokens (batch, LENGTH) to logits (batch, LENGTH, VOCABULARY)."""

    def __init__(self, width: int = 32):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(VOCABULARY, width), nn.Embedding(LENGTH, width)
        self.blocks = blocks(num_layers=2, width=width, heads=2, max_length=LENGTH)
        self.norm, self.to_logits = nn.LayerNorm(width), nn.Linear(width, VOCABULARY)
        for embedding in (self.tokens, self.positions):
            nn.init.normal_(embedding.weight, std=0.1)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.to_logits(self.norm(self.blocks(self.tokens(tokens) + self.positions.weight)))


def loss(logits: torch.Tensor, sequences: torch.Tensor) -> torch.Tensor:
    """Return the mean loss in nats a token, of predicting each token after the first."""
    return cross_entropy(logits.flatten(0, 1), sequences[:, 1:].flatten())


def stream(language: Language, cell: Cell) -> Iterator[torch.Tensor]:
    """Yield the batches of a run, shape (batch_size, LENGTH + 1), never the same twice. All rates see the same batches."""
    generator = torch.Generator().manual_seed(1000 * cell.batch_size + cell.seed)
    while True:  # drawn many at a time, because single sequences take as long
        yield from language.sequences(max(BATCHES), LENGTH + 1, generator).split(cell.batch_size)


def train(language: Language, cell: Cell, device: str) -> Iterator[tuple[int, LanguageModel, torch.optim.Adam]]:
    """Yield the step, the model and the optimizer after 0, 1, 2, … steps; both are changed in place."""
    torch.manual_seed(cell.seed)
    model = LanguageModel().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=cell.rate, fused=True)
    for step, batch in enumerate(stream(language, cell)):
        yield step, model, optimizer
        batch = batch.to(device)
        optimizer.zero_grad()
        loss(model(batch[:, :-1]), batch).backward()
        optimizer.step()


class Excess:
    """The loss above the least possible one, in nats a token: the mean divergence of the model's probabilities from the true ones.

    Its expectation is that of the loss minus the entropy, without the luck of which token happened to follow. The 512 held-out
    sequences are the same for all runs.
    """

    def __init__(self, language: Language, device: str):
        held_out = language.sequences(512, LENGTH + 1, torch.Generator().manual_seed(0))
        self.tokens = held_out[:, :-1].to(device)
        self.truth = language.probabilities(held_out).to(device)

    @torch.no_grad()
    def __call__(self, model: LanguageModel) -> float:
        difference = self.truth.log() - model(self.tokens).log_softmax(dim=-1)
        return (self.truth * difference).sum(dim=-1).mean().item()


def checkpoints(ratio: float) -> Iterator[int]:
    """Yield 0, 1, 2, … and, from where this leaves out some, whole numbers about `ratio` apart."""
    step = 0
    while True:
        yield step
        step = max(step + 1, round(step * ratio))


def curve(language: Language, cell: Cell, excess: Excess, device: str) -> Iterator[tuple[int, float]]:
    """Yield step and excess until the run has reached LAST_EXCESS, or is given up."""
    grid = checkpoints(GRID_RATIO)
    due = next(grid)
    for step, model, _ in train(language, cell, device):
        if step < due:
            continue
        value, due = excess(model), next(grid)
        yield step, value
        if not LAST_EXCESS < value < 10 or due > cell.most_steps:
            return


# -- gradient noise --------------------------------------------------------------------------------------------------------------

PROBE, PIECE = 1024, 32  # sequences for one estimate, and sequences of which one gradient is made
NOISE_RATIO = 1.3  # between steps at which the noise is measured


def moments(model: nn.Module, sequences: torch.Tensor) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Return for each parameter tensor unbiased estimates of Σ_jj, the variance of one sequence's gradient, and of G_j², in float64.

    From R equal pieces of b sequences with mean gradients g_r: Σ̂ = b Σ_r (g_r - ḡ)² / (R - 1) and Ĝ² = ḡ² - Σ̂ / (R b).
    """
    parameters = list(model.parameters())
    pieces = sequences.split(PIECE)
    gradients = zip(
        *(torch.autograd.grad(loss(model(piece[:, :-1]), piece), parameters) for piece in pieces), strict=True
    )
    stacks = [torch.stack(of_pieces).double() for of_pieces in gradients]
    variances = [PIECE * stack.var(dim=0) for stack in stacks]
    squares = [
        stack.mean(dim=0) ** 2 - variance / len(sequences) for stack, variance in zip(stacks, variances, strict=True)
    ]
    return variances, squares


def noise(model: nn.Module, optimizer: torch.optim.Adam, sequences: torch.Tensor) -> list[float]:
    """Return trace and squared norm three times: of the gradients g, of g / v^¼ and of g / v^½, with Adam's corrected running mean v.

    Each is unbiased given the weights and v, and may come out negative. The second are the gradients in the coordinates in which Adam without
    momentum is plain descent; the third are what its steps are made of.
    """
    variances, squares = moments(model, sequences)
    states = [optimizer.state[parameter] for parameter in model.parameters()]
    beta = optimizer.defaults["betas"][1]
    scales = [1 / ((state["exp_avg_sq"] / (1 - beta ** state["step"])).double().sqrt() + 1e-8) for state in states]
    return [
        float(sum((scale**power * value).sum() for scale, value in zip(scales, values, strict=True)))
        for power in (0, 1, 2)
        for values in (variances, squares)
    ]


def noise_curve(
    language: Language, cell: Cell, excess: Excess, device: str, last_step: int
) -> Iterator[tuple[float, ...]]:
    """Yield step, excess and the six statistics from step 1 up to last_step."""
    generator = torch.Generator().manual_seed(cell.seed)
    grid = checkpoints(NOISE_RATIO)
    due = next(grid) + next(grid)  # at step 0 Adam has no v
    for step, model, optimizer in train(language, cell, device):
        if step > last_step:
            return
        if step == due:
            due = next(grid)
            probe = language.sequences(PROBE, LENGTH + 1, generator).to(device)
            yield step, excess(model), *noise(model, optimizer, probe)


# -- the tables ------------------------------------------------------------------------------------------------------------------

KEY = "batch_size", "rate", "seed", "step"
SWEEP_COLUMNS = *KEY, "excess"
STATISTICS = "trace", "squared_norm", "adam_trace", "adam_squared_norm", "step_trace", "step_squared_norm"
NOISE_COLUMNS = *SWEEP_COLUMNS, *STATISTICS


def rate_grid(batch_size: int) -> list[float]:
    """Return learning rates 1.6 times apart around a guess; the best one is never at an end."""
    guess = 0.01 / (1 + 100 / batch_size) ** 0.5
    return [float(f"{guess * 1.6**power:.2g}") for power in range(-(NUM_RATES // 2), NUM_RATES // 2 + 1)]


def recorded(path: Path) -> dict[Cell, np.ndarray]:
    """Return the rows of each recorded run without its key: shape (checkpoints, columns), step first."""
    if not path.exists():
        return {}
    runs: dict[Cell, list] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for batch_size, rate, seed, *values in list(csv.reader(file))[1:]:
            runs.setdefault(Cell(int(seed), int(batch_size), float(rate)), []).append(
                [float(value) for value in values]
            )
    return {cell: np.array(rows) for cell, rows in runs.items()}


def record(path: Path, columns: tuple[str, ...], runs: dict[Cell, Iterable]) -> None:
    """Write the whole table anew, in a fixed order, and put it in the place of the old one at once: no moment finds half of it."""
    unfinished = path.with_suffix(".unfinished")
    with unfinished.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for cell in sorted(runs, key=lambda cell: (cell.batch_size, cell.rate, cell.seed)):
            for step, *values in runs[cell]:
                row = cell.batch_size, cell.rate, cell.seed, int(step)
                writer.writerow([*row, *(f"{value:.4g}" for value in values)])
    unfinished.replace(path)


def fill(path: Path, columns: tuple[str, ...], cells: list[Cell], run) -> dict[Cell, np.ndarray]:
    """Make the runs that the table lacks, record each as soon as it is complete, and return all rows of these cells."""
    runs = recorded(path)
    missing = [cell for cell in cells if cell not in runs]
    for cell in tqdm(missing, initial=len(cells) - len(missing), total=len(cells), desc=path.stem, disable=None):
        runs[cell] = list(run(cell))
        record(path, columns, runs)
    runs = recorded(path)
    return {cell: runs[cell] for cell in cells}


# -- what they say ---------------------------------------------------------------------------------------------------------------


def best_rate(curves: Curves) -> float:
    """Return the rate that needs the fewest steps over all targets: the least geometric mean."""
    return float(curves.rates[np.log([curves.steps_to(target) for target in TARGETS]).mean(axis=0).argmin()])


def knees(sweep: dict[int, Curves], seeds: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return S_min and B_crit (sequences) at each target, by the seed-mean curves of these seeds and the best rate of each batch size."""
    chosen = [Curves(curves.rates, curves.steps, curves.excess[:, seeds]) for curves in sweep.values()]
    return fit(list(sweep), [[curves.steps_to(target).min() for curves in chosen] for target in TARGETS])


def predicted(runs: list[np.ndarray], batch_size: int, num_steps: float) -> np.ndarray:
    """Return S_min and E_min as lesson 06 predicts them from so many steps with one batch size, for each of the three weightings: shape (3, 2).

    runs: the recorded rows of each seed. Traces and squared norms are averaged over the seeds, and between checkpoints interpolated.
    """
    step, _, *statistics = np.mean(runs, axis=0).T
    values = [np.interp(np.arange(num_steps), step, of_checkpoints) for of_checkpoints in statistics]
    return np.array([predicted_law(*parts, batch_size) for parts in zip(values[::2], values[1::2], strict=True)])


def print_findings(sweep: dict[int, Curves], noise_runs: dict[Cell, np.ndarray]) -> None:
    """Print the tables of benchmarks/README.md: the knee at each target, and what the noise of single batch sizes predicts."""
    (s_min, b_crit), *single = (knees(sweep, seeds) for seeds in ([0, 1, 2], [0], [1], [2]))
    print("| excess | S_min | B_crit | by single seeds | in tokens |\n|---|---|---|---|---|")
    for target, steps, knee, *of_seeds in zip(TARGETS, s_min, b_crit, *(knee for _, knee in single), strict=True):
        print(
            f"| {target} | {steps:.1f} | {knee:.0f} | {min(of_seeds):.0f} to {max(of_seeds):.0f} | {LENGTH * knee:.0f} |"
        )
    print("\n| predicted / fitted B_crit, from runs with batch | g | g / v^¼ | g / v^½ |\n|---|---|---|---|")
    ranges = {}
    for size, curves in sweep.items():
        runs = [run for cell, run in noise_runs.items() if cell.batch_size == size]
        steps = [curves.steps_to(target)[curves.rates == best_rate(curves)][0] for target in TARGETS]
        laws = np.array(
            [predicted(runs, size, num_steps) for num_steps in steps]
        )  # (targets, weightings, S_min and E_min)
        ratios = (laws[..., 1] / laws[..., 0]).T / b_crit
        ranges[size] = [f"{each.min():.2f} to {each.max():.2f}" for each in ratios]
        print(f"| {size} | {' | '.join(ranges[size])} |")
    print("\nRESULT knee_predicted_from_32=" + ranges[32][0].replace(" to ", ".."))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cuda" if torch.cuda.is_available() else "cpu")
    device = parser.parse_args().device
    torch.set_num_threads(1)
    language = Language()
    excess = Excess(language, device)
    cells = [Cell(seed, size, rate) for seed in range(NUM_SEEDS) for size in BATCHES for rate in rate_grid(size)]
    runs = fill(SWEEP, SWEEP_COLUMNS, cells, lambda cell: curve(language, cell, excess, device))
    sweep = language_sweep()
    tuned = [Cell(seed, size, best_rate(sweep[size])) for seed in range(NUM_SEEDS) for size in BATCHES]
    last_step = {size: max(runs[cell][-1, 0] for cell in tuned if cell.batch_size == size) for size in BATCHES}

    def along(cell: Cell) -> Iterator:
        return noise_curve(language, cell, excess, device, last_step[cell.batch_size])

    print_findings(sweep, fill(NOISE, NOISE_COLUMNS, tuned, along))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("interrupted; what is recorded stays, and the next call goes on from there", file=sys.stderr)
        sys.exit(130)
