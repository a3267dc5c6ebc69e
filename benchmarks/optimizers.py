"""The race of lesson 07 with twenty teachers, and with other grids of settings: what does its outcome owe to the teacher, and what to the grid?

usage: python benchmarks/optimizers.py
"""

import sys

import numpy as np
from tqdm import tqdm

from largebatch.knee import fit
from largebatch.race import MOMENTA, Student, race

TEACHERS, BATCHES, TARGET = range(1, 21), (16, 64, 256, 1024), 0.05
GRIDS = {  # momenta, and rates for each factor of 2
    "16 settings: momenta 0, 0.9": ((0.0, 0.9), 1),
    "24 settings, as in the lesson": (MOMENTA, 1),
    "96 settings: momenta 0, 0.3, 0.5, 0.7, 0.8, 0.9, rates √2 apart": ((0.0, 0.3, 0.5, 0.7, 0.8, 0.9), 2),
}
FEW_TEACHERS = range(1, 9)  # for the other grids

USUAL = {name: (name, 1.0) for name in ("SGD", "LARS", "Adam", "LAMB")}
CONTESTS = USUAL | {"SGD × 4": ("SGD", 0.25), "Adam × 4": ("Adam", 0.25), "SGD × ¼": ("SGD", 4.0)}
PAIRS = [
    ("LARS", "SGD"),
    ("Adam", "SGD"),
    ("LARS", "Adam"),
    ("LAMB", "Adam"),
    ("SGD × ¼", "SGD"),
    ("SGD × ¼", "LARS"),
    ("SGD × 4", "SGD"),
    ("Adam × 4", "Adam"),
    ("LARS", "SGD × 4"),
]
COLUMNS = ("S_min", "E_min", "B_crit", *(f"B = {batch_size}" for batch_size in BATCHES))


def result(teacher: int, contest: str, momenta, finer: int) -> tuple[list[float], int]:
    """Return S_min, E_min, B_crit and the tuned steps at each batch size, and the number of winning rates at an end of their range."""
    optimizer, shrink = CONTESTS[contest]
    steps, ends = [], 0
    for batch_size in BATCHES:
        curves = race(Student(teacher, shrink), optimizer, batch_size, TARGET, momenta=momenta, finer=finer)
        counts = curves.steps_to(TARGET * curves.excess[0].mean())
        steps.append(counts.min())
        ends += curves.rates[counts.argmin()] in (curves.rates.min(), curves.rates.max())
    s_min, b_crit = fit(BATCHES, steps)
    return [s_min, s_min * b_crit, b_crit, *steps], ends


def compare(teachers, contests, momenta, finer: int) -> None:
    """Print a table of ratios, and what else the lesson says of them."""
    bar = tqdm(
        [(name, teacher) for name in contests for teacher in teachers], disable=not sys.stderr.isatty(), leave=False
    )
    results = {(name, teacher): result(teacher, name, momenta, finer) for name, teacher in bar}
    found = {name: np.array([results[name, teacher][0] for teacher in teachers]) for name in contests}
    print("\n| of | to | " + " | ".join(COLUMNS) + " |\n|---|---|" + "---|" * len(COLUMNS))
    for one, other in PAIRS:
        if one in found and other in found:
            ratios = found[one] / found[other]
            cells = zip(np.exp(np.log(ratios).mean(axis=0)), (ratios < 1).sum(axis=0), strict=True)
            print(f"| {one} | {other} | " + " | ".join(f"{mean:.2f} ({below})" for mean, below in cells) + " |")
    print(
        f"RESULT teachers={len(teachers)} fewest_steps={min(each[:, 3:].min() for each in found.values()):.0f}",
        f"rates_at_an_end={sum(ends for _, ends in results.values())}/{len(results) * len(BATCHES)}",
        *(f"largest_{COLUMNS[column]}={leaders(found, column)}" for column in range(3)),
    )


def leaders(found: dict[str, np.ndarray], column: int) -> str:
    """Return how often each optimizer, with usual weights, has the largest number of a column."""
    largest = np.argmax([found[name][:, column] for name in USUAL], axis=0)
    return ",".join(f"{name}:{(largest == place).sum()}" for place, name in enumerate(USUAL))


def main() -> None:
    print(
        f"Target: {TARGET:.0%} of the initial excess. Geometric means of ratios (in brackets: teachers for which the ratio is below 1)."
    )
    compare(TEACHERS, CONTESTS, MOMENTA, 1)
    for name, (momenta, finer) in GRIDS.items():
        print(f"\n{name}; {len(FEW_TEACHERS)} teachers")
        compare(FEW_TEACHERS, [*USUAL, "SGD × ¼"], momenta, finer)


if __name__ == "__main__":
    main()
