"""The knee: steps to a target against the batch size, as once published, and measured with a learning rate tuned for every batch.

usage: python -m largebatch.knee published
       python -m largebatch.knee measured [--seed N] [--json]
"""

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from itertools import islice

import numpy as np

from largebatch.descent import Curves, crossing, epochs_to_target, excess_curves, walk
from largebatch.logistic import LogisticRegression, draw

# -- the published table ---------------------------------------------------------------------------------------------------------

BASE_BATCH, BASE_RATE = 32, 0.05
PUBLISHED_BATCHES = tuple(2**power for power in range(5, 13))
PUBLISHED_EXCESS = 0.010  # the target, nats above the optimum
MAX_EPOCHS = 80


def published_problem() -> tuple[LogisticRegression, np.random.Generator]:
    """Return the problem behind the published table (20 000 examples, 30 equal features), and the random stream after drawing it."""
    rng = np.random.default_rng(7)
    return draw(rng, np.ones(30), 20_000), rng


def published_warmup(batch_size: int) -> int:
    """Return the warmup of the scaled runs, in steps: five for each multiple of the base batch."""
    return 5 * max(1, batch_size // BASE_BATCH)


def published_table() -> Iterator[tuple[int, int | None, int | None]]:
    """Yield (batch size, epochs at the fixed rate, epochs with the linear rule and warmup); None where 80 epochs do not suffice.

    The two runs of each batch size continue the random stream of those before, as in the publication, so each cell is the same.
    """
    problem, rng = published_problem()
    target_loss = problem.least_loss + PUBLISHED_EXCESS
    for batch_size in PUBLISHED_BATCHES:
        fixed = epochs_to_target(problem, target_loss, batch_size, BASE_RATE, 0, MAX_EPOCHS, rng)
        rate, warmup_steps = BASE_RATE * batch_size / BASE_BATCH, published_warmup(batch_size)
        scaled = epochs_to_target(problem, target_loss, batch_size, rate, warmup_steps, MAX_EPOCHS, rng)
        yield batch_size, fixed, scaled


# -- a knee, measured ------------------------------------------------------------------------------------------------------------

TARGETS = (0.3, 0.2, 0.1, 0.05, 0.03)  # shares of the initial excess
BATCHES = tuple(2**power for power in range(2, 13))
NUM_SEEDS = 24
RESAMPLES = 400


@cache
def uneven_problem(label_noise: float = 0.0) -> LogisticRegression:
    """Return a problem with a knee: 4096 examples, 32 features of variance 1, 1/2, 1/3, …, so that curvatures differ 35 times."""
    return draw(np.random.default_rng(7), np.arange(1, 33) ** -0.5, 4096, label_noise)


def rate_grid(problem: LogisticRegression, batch_size: int) -> np.ndarray:
    """Return 14 learning rates, √2 apart, around a saturating guess; in this problem the best one is never at an end."""
    largest_stable = 2 / np.linalg.eigvalsh(problem.hessian(problem.optimum))[-1]
    return largest_stable / (1 + 150 / batch_size) * 2 ** (np.arange(-9, 5) / 2)


def stream(seed: int, batch_size: int) -> np.random.Generator:
    """Return the random stream of the minibatches; it has nothing to do with the one that drew the problem."""
    return np.random.default_rng([seed, batch_size])


def tuned_sweep(
    problem: LogisticRegression,
    hardest_target: float,
    seed: int,
    num_seeds: int = NUM_SEEDS,
    batches: Iterable[int] = BATCHES,
) -> Iterator[Curves]:
    """Yield for each batch size the curves of all its learning rates, without warmup, down to the hardest target (nats)."""
    for batch_size in batches:
        rates = rate_grid(problem, batch_size)
        yield excess_curves(problem, batch_size, rates, hardest_target, num_seeds, stream(seed, batch_size))


def fit(batch_sizes, steps) -> tuple[np.ndarray, np.ndarray]:
    """Return S_min and B_crit of S = S_min (1 + B_crit / B), by least squares on log S (the law of McCandlish et al. 2018, arXiv 1812.06162).

    batch_sizes: shape (n,), n ≥ 3; steps: shape (…, n), finite and positive; returns two arrays of shape (…).
    A B_crit far outside the batch sizes means that they do not show a knee.
    """
    batch_sizes, log_steps = np.asarray(batch_sizes, float), np.asarray(steps, float)
    different = np.unique(batch_sizes).size >= 3 and (batch_sizes > 0).all()
    if not different or not (np.isfinite(log_steps) & (log_steps > 0)).all():
        raise ValueError("a fit needs the steps of at least three batch sizes, all of them finite and positive")
    log_steps = np.log(log_steps)
    log_knee = np.full(log_steps.shape[:-1], np.log(batch_sizes).mean())
    for _ in range(50):  # Gauss and Newton's method; S_min is the mean of what is left, so only B_crit is searched for
        ratio = np.exp(log_knee)[..., None] / batch_sizes
        residual = centred(log_steps - np.log1p(ratio))
        slope = centred(ratio / (1 + ratio))
        log_knee = log_knee + np.clip((slope * residual).sum(-1) / np.maximum((slope**2).sum(-1), 1e-12), -1, 1)
        log_knee = np.clip(log_knee, np.log(batch_sizes.min()) - 10, np.log(batch_sizes.max()) + 10)
    knee = np.exp(log_knee)
    return np.exp((log_steps - np.log1p(knee[..., None] / batch_sizes)).mean(-1)), knee


def centred(values: np.ndarray) -> np.ndarray:
    """Return values minus their mean over the last axis."""
    return values - values.mean(axis=-1, keepdims=True)


def resampled_steps(curves: Curves, target: float, picks: np.ndarray) -> np.ndarray:
    """Return the steps to a target (nats) of bootstrap samples, the learning rate tuned anew in each; picks: (samples, seeds) → (samples,)."""
    shares = np.stack([np.bincount(pick, minlength=picks.shape[1]) for pick in picks]) / picks.shape[1]
    means = np.einsum("bs,tsr->tbr", shares.astype("f4"), curves.excess)
    return crossing(curves.steps, means, target).min(axis=-1)


def mean_noise_scale(
    problem: LogisticRegression,
    batch_size: int,
    rate: float,
    num_steps: int,
    num_seeds: int,
    rng: np.random.Generator,
) -> float:
    """Return the noise scale tr Σ / |G|², in examples, over the first steps of a run: a geometric mean, as it may grow a hundredfold.

    At each step, trace and squared norm are averaged over the seeds before they are divided.
    """
    run = islice(walk(problem, batch_size, np.array([rate]), num_seeds, rng), num_steps)
    traces, squared_norms = np.transpose([np.mean(problem.noise(weights[:, :, 0].T), axis=1) for weights in run])
    return float(np.exp(np.log(traces / squared_norms).mean()))


@dataclass(frozen=True)
class Knee:
    """What a tuned sweep says about one target; everything but the target is None where some batch size did not reach it.

    target                  : share of the initial excess loss
    s_min, e_min            : steps with an endless batch, and examples with the smallest, by the fit
    b_crit                  : their ratio, in examples; b_crit_low and b_crit_high: its 95 % (basic) bootstrap interval over seeds, of the
                              resamples that reach the target; it holds the value of very many seeds in four of five sweeps (benchmarks/intervals.py)
    b_simple                : noise scale, in examples, on the tuned runs of the two batch sizes nearest to b_crit (geometric means)
    """

    target: float
    s_min: float | None
    e_min: float | None
    b_crit: float | None
    b_crit_low: float | None
    b_crit_high: float | None
    b_simple: float | None


def knee(problem: LogisticRegression, sweep: list[Curves], batches: Iterable[int], target: float, seed: int) -> Knee:
    """Return the knee at one target, a share of the initial excess, from the curves of a tuned sweep."""
    if not 0 < target < 1:
        raise ValueError(f"a target is a share of the initial excess, between 0 and 1, not {target}")
    batches, excess = np.array(batches), target * problem.initial_excess
    steps = np.array([curves.steps_to(excess).min() for curves in sweep])
    if not np.isfinite(steps).all():
        return Knee(target, *[None] * 6)
    s_min, b_crit = fit(batches, steps)
    num_seeds = sweep[0].excess.shape[1]
    picks = np.random.default_rng(seed).integers(0, num_seeds, (RESAMPLES, num_seeds))
    samples = np.stack([resampled_steps(curves, excess, picks) for curves in sweep], axis=-1)
    reached = np.isfinite(samples).all(axis=-1)
    if not reached.any():
        return Knee(target, *[None] * 6)
    # The basic bootstrap: resamples stray from the value as the value strays from the truth, so their ratios are turned over.
    high, low = b_crit**2 / np.percentile(fit(batches, samples[reached])[1], [2.5, 97.5])
    noise_scales = []
    for near in np.abs(np.log(batches / b_crit)).argsort()[:2]:
        size, rate, num_steps = int(batches[near]), sweep[near].best_rate(excess), max(1, round(steps[near]))
        noise_scales.append(mean_noise_scale(problem, size, rate, num_steps, num_seeds, stream(seed, size)))
    b_simple = np.exp(np.mean(np.log(noise_scales)))
    return Knee(target, *map(float, (s_min, s_min * b_crit, b_crit, low, high, b_simple)))


# -- the command line ------------------------------------------------------------------------------------------------------------


def print_published() -> None:
    """Print the published table: batch size, epochs at the fixed rate, epochs with the scaled rate; - where the budget ends."""
    for row in bar(published_table(), len(PUBLISHED_BATCHES), "batch sizes"):
        print(*("-" if cell is None else cell for cell in row))


def print_measured(seed: int, as_json: bool) -> None:
    """Print the knee at each target."""
    problem = uneven_problem()
    sweep = list(bar(tuned_sweep(problem, min(TARGETS) * problem.initial_excess, seed), len(BATCHES), "batch sizes"))
    knees = [knee(problem, sweep, BATCHES, target, seed) for target in bar(TARGETS, len(TARGETS), "targets")]
    if as_json:
        print(json.dumps([asdict(found) for found in knees], indent=1))
        return
    print("target   s_min     e_min  b_crit      95 % interval  b_simple")
    for found in knees:
        if found.b_crit is None:
            print(f"{found.target:6.2f}   not reached at every batch size")
        else:
            interval = f"{found.b_crit_low:.0f} to {found.b_crit_high:.0f}"
            print(
                f"{found.target:6.2f}  {found.s_min:6.1f}  {found.e_min:8.0f}  {found.b_crit:6.0f}  {interval:>17}  {found.b_simple:8.0f}"
            )


def bar(work: Iterable, total: int, unit: str) -> Iterable:
    """Show progress on a terminal, from the second second on."""
    from tqdm import tqdm

    return tqdm(work, total=total, unit=f" {unit}", delay=2, disable=None, leave=False)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m largebatch.knee", description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("published", help="epochs to the target: batch size, fixed rate, scaled rate")
    measured = commands.add_parser("measured", help="the knee of a problem that has one, at five targets")
    measured.add_argument("--seed", type=int, default=0, help="of the minibatches; the problem stays the same")
    measured.add_argument("--json", action="store_true", help="print records instead of a table")
    arguments = parser.parse_args()
    if arguments.command == "published":
        print_published()
    elif arguments.seed < 0:
        parser.error(f"--seed must be 0 or more, not {arguments.seed}")
    else:
        print_measured(arguments.seed, arguments.json)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
