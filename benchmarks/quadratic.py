"""The knee of the noisy quadratic model: milliseconds for one tuned curve of 16 batch sizes, and its error against a dense search.

The dense search groups no modes, looks at every one of the first steps and then at many, and tries many rates for every batch size; it has the same
definition of the steps, and the same formulas, which the tests hold against recursions and simulated runs. Batches whose steps are more than three
times the fewest are limited by noise; the others by curvature, where momentum makes the loss swing and the best rate hard to find.

usage: python benchmarks/quadratic.py
"""

import os

THREADS = "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"
os.environ.update(dict.fromkeys(THREADS, "1"))  # NumPy reads them when it is imported

import time  # noqa: E402
from itertools import product  # noqa: E402
from statistics import median  # noqa: E402

import numpy as np  # noqa: E402
from tqdm import tqdm  # noqa: E402

from largebatch.descent import crossing  # noqa: E402
from largebatch.quadratic import MAX_STEPS, expected_loss, knee, largest_stable_rate, power_law  # noqa: E402

OPTIMIZERS = {
    "sgd": (0.0, 0.0),
    "momentum": (0.9, 0.0),
    "precond": (0.0, 0.5),
    "both": (0.9, 0.5),
    "momentum .99": (0.99, 0.0),
}
BATCHES = 2.0 ** np.arange(16)
NUM_MODES, EXPONENTS, TARGETS = 300, (0.5, 1.0, 1.5), (0.1, 0.03, 0.01)
REPEATS = 25
DENSE_STEPS = np.unique([*range(1024), *np.geomspace(1024, MAX_STEPS, 200).round()]).astype(int)
DENSE_RATES = 600
GOAL_MS, GOAL_ERROR = 50, 1.0  # per cent


def milliseconds(momentum: float, power: float) -> tuple[float, float]:
    """Return the medians of one curve, by the wall clock and by the processor's."""
    spectrum, wall, processor = power_law(), [], []
    for _ in range(REPEATS):
        began = time.perf_counter(), time.process_time()
        knee(spectrum, BATCHES, 0.03, momentum, power)
        wall.append(time.perf_counter() - began[0])
        processor.append(time.process_time() - began[1])
    return 1000 * median(wall), 1000 * median(processor)


def searched(exponent: float, momentum: float, power: float, bar: tqdm) -> np.ndarray:
    """Return the steps of the dense search, shape (targets, batch sizes)."""
    spectrum = power_law(exponent, NUM_MODES, bins=None)
    odds = np.linspace(np.log(3e-6 * (1 - momentum)), 7, DENSE_RATES)
    best = np.full((len(TARGETS), len(BATCHES)), np.inf)
    for some in np.array_split(odds, 40):
        rates = largest_stable_rate(spectrum, momentum, power) / (1 + np.exp(-some))
        without_noise, from_noise = expected_loss(spectrum, rates, DENSE_STEPS, momentum, power)
        to_come = np.maximum.accumulate(without_noise[:, ::-1], axis=1)[:, ::-1]
        for (row, target), (column, batch_size) in product(enumerate(TARGETS), enumerate(BATCHES)):
            loss = (to_come + from_noise / batch_size).T
            steps = crossing(DENSE_STEPS, loss, target * spectrum.initial_loss).min()
            best[row, column] = min(best[row, column], steps)
        bar.update()
    return best


def errors(momentum: float, power: float, bar: tqdm) -> tuple[float, float]:
    """Return the largest error of the steps in per cent, over spectra and targets: where noise limits, and where curvature does."""
    noisy, curved = [], []
    for exponent in EXPONENTS:
        spectrum = power_law(exponent, NUM_MODES)
        for target, best in zip(TARGETS, searched(exponent, momentum, power, bar), strict=True):
            error = 100 * np.abs(knee(spectrum, BATCHES, target, momentum, power)[0] / best - 1)
            limited_by_noise = best > 3 * best.min()
            noisy += error[limited_by_noise].tolist()
            curved += error[~limited_by_noise].tolist()
    return max(noisy), max(curved)


def main() -> None:
    times = {name: milliseconds(*optimizer) for name, optimizer in OPTIMIZERS.items()}
    with tqdm(total=len(OPTIMIZERS) * len(EXPONENTS) * 40, delay=2, leave=False, disable=None) as bar:
        misses = {name: errors(*optimizer, bar) for name, optimizer in OPTIMIZERS.items()}
    print(
        f"one curve of {len(BATCHES)} batch sizes, medians of {REPEATS}; largest error of the steps against a dense search"
    )
    print("| optimizer | ms | ms of the processor | error where noise limits | error where curvature limits |")
    print("|---|---|---|---|---|")
    for name, (wall, processor) in times.items():
        noisy, curved = misses[name]
        print(f"| {name} | {wall:.0f} | {processor:.0f} | {noisy:.1f} % | {curved:.1f} % |")
    covered = max(max(misses["sgd"] + misses["precond"]), misses["momentum"][0], misses["both"][0])
    print(
        f"\nmax_error: SGD and preconditioned everywhere, momentum .9 where noise limits; goal: at most {GOAL_ERROR:g} %, and {GOAL_MS} ms"
    )
    print(f"momentum .9 where curvature limits: {max(misses['momentum'][1], misses['both'][1]):.1f} %")
    print(
        "RESULT",
        *(f"{name}_ms={times[name][0]:.0f}" for name in ("sgd", "momentum", "precond")),
        f"max_error={covered:.1f}",
    )


if __name__ == "__main__":
    main()
