"""The race of lesson 07 with five teachers: is what one teacher shows about LARS and LAMB a matter of the teacher?

usage: python benchmarks/optimizers.py
"""

import sys

from tqdm import tqdm

from largebatch.knee import fit
from largebatch.race import RATES, Student, race

TEACHERS, BATCHES, TARGET = (1, 2, 3, 4, 7), (16, 64, 256, 1024), 0.1


def knee(teacher: int, optimizer: str, shrink: float) -> tuple[float, float]:
    """Return S_min in steps and E_min in examples, every setting tuned for each batch size."""
    steps = []
    for batch_size in BATCHES:
        curves = race(Student(teacher, shrink), optimizer, batch_size, TARGET)
        steps.append(curves.steps_to(TARGET * curves.excess[0].mean()).min())
    s_min, b_crit = fit(BATCHES, steps)
    return float(s_min), float(s_min * b_crit)


def main() -> None:
    contests = [(name, 1.0) for name in RATES] + [("SGD", 0.25), ("Adam", 0.25)]
    runs = [(contest, teacher) for contest in contests for teacher in TEACHERS]
    found = {run: knee(run[1], *run[0]) for run in tqdm(runs, disable=not sys.stderr.isatty(), leave=False)}
    print("| optimizer | first layer stored | " + " | ".join(f"teacher {teacher}" for teacher in TEACHERS) + " |")
    print("|---|---|" + "---|" * len(TEACHERS))
    for contest in contests:
        cells = [f"{found[contest, teacher][0]:.0f} / {found[contest, teacher][1]:.0f}" for teacher in TEACHERS]
        print(f"| {contest[0]} | × {1 / contest[1]:.0f} | " + " | ".join(cells) + " |")

    def fewer(one: str, other: str, number: int) -> int:
        return sum(found[(one, 1.0), teacher][number] < found[(other, 1.0), teacher][number] for teacher in TEACHERS)

    pairs = (("LARS", "SGD"), ("LAMB", "Adam"), ("Adam", "SGD"))
    counts = [f"{one}_below_{other}={fewer(one, other, 0)}/{fewer(one, other, 1)}" for one, other in pairs]
    print(f"RESULT teachers={len(TEACHERS)}", *counts)


if __name__ == "__main__":
    main()
