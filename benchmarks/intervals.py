"""How often the interval of the measured knee holds the value that very many seeds give.

usage: python benchmarks/intervals.py
"""

import sys

import numpy as np
from tqdm import tqdm

from largebatch.knee import BATCHES, TARGETS, Knee, fit, knee, tuned_sweep, uneven_problem

REPEATS, MANY_SEEDS = 30, 240


def value_of_many_seeds() -> list[float]:
    """Return B_crit, in examples, at each target."""
    problem = uneven_problem()
    runs = tuned_sweep(problem, min(TARGETS) * problem.initial_excess, seed=REPEATS, num_seeds=MANY_SEEDS)
    sweep = list(progress(runs, len(BATCHES), f"{MANY_SEEDS} seeds"))
    levels = [target * problem.initial_excess for target in TARGETS]
    return [float(fit(BATCHES, [curves.steps_to(level).min() for curves in sweep])[1]) for level in levels]


def repetition(seed: int) -> list[Knee]:
    """Return what `python -m largebatch.knee measured` gives with this seed."""
    problem = uneven_problem()
    sweep = list(tuned_sweep(problem, min(TARGETS) * problem.initial_excess, seed))
    return [knee(problem, sweep, BATCHES, target, seed) for target in TARGETS]


def progress(work, total: int, what: str):
    return tqdm(work, total=total, desc=what, disable=not sys.stderr.isatty(), leave=False)


def main() -> None:
    truths = value_of_many_seeds()
    repetitions = [repetition(seed) for seed in progress(range(REPEATS), REPEATS, "repetitions")]
    print(
        f"| target | B_crit, {MANY_SEEDS} seeds | {REPEATS} repetitions: lowest to highest | intervals that hold it |"
    )
    print("|---|---|---|---|")
    shares = []
    for number, (target, truth) in enumerate(zip(TARGETS, truths, strict=True)):
        found = [knees[number] for knees in repetitions]
        shares.append(np.mean([one.b_crit_low <= truth <= one.b_crit_high for one in found]))
        values = [one.b_crit for one in found]
        print(f"| {target:.0%} | {truth:.0f} | {min(values):.0f} to {max(values):.0f} | {shares[-1]:.0%} |")
    ratios = [one.b_simple / one.b_crit for knees in repetitions for one in knees]
    misses = sum(not 1 / 1.5 < ratio < 1.5 for ratio in ratios)
    print(
        f"\nnoise scale / B_crit: {min(ratios):.2f} to {max(ratios):.2f}, {misses} of {len(ratios)} off by more than 1.5 times"
    )
    print(f"RESULT coverage={np.mean(shares):.2f} noise_scale_ratio_max={max(ratios):.2f}")


if __name__ == "__main__":
    main()
