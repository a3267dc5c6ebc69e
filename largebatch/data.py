"""Recorded data of the course: small tables under data/, each with its origin in data/README.md."""

import csv
from pathlib import Path

import numpy as np

from largebatch.descent import Curves

FOLDER = Path(__file__).parent.parent / "data"


def table(name: str) -> list[dict[str, str | float | None]]:
    """Return data/<name>.csv as one dictionary a row: numbers as float, empty fields as None, everything else as text.

    Works from any folder, also where nbgrader runs a notebook. Raises FileNotFoundError, naming the tables there are.
    """
    path = FOLDER / f"{name}.csv"
    if not path.exists():
        raise FileNotFoundError(
            f"no table {name!r}; there are {', '.join(sorted(file.stem for file in FOLDER.glob('*.csv')))}"
        )
    with path.open(encoding="utf-8", newline="") as file:
        return [{key: field(text) for key, text in row.items()} for row in csv.DictReader(file)]


def field(text: str) -> str | float | None:
    """Return a field of a table as a number where it is one, None where it is empty."""
    try:
        return float(text) if text else None
    except ValueError:
        return text


def language_sweep() -> dict[int, Curves]:
    """Return the recorded runs of a language model, for each batch size (sequences) the curves of all its rates and seeds.

    A run that has ended counts with its last excess, which is below every target from 0.12 nats a token up, or above it for good.
    """
    runs: dict[int, dict[tuple[float, float], list]] = {}
    for row in table("language_sweep"):
        of_size = runs.setdefault(int(row["batch_size"]), {})
        of_size.setdefault((row["rate"], row["seed"]), []).append((row["step"], row["excess"]))
    return {size: curves_of(of_size) for size, of_size in runs.items()}


def curves_of(runs: dict[tuple[float, float], list]) -> Curves:
    """Return the curves of one batch size, from step and excess of each rate and seed."""
    rates, seeds = (sorted(set(values)) for values in zip(*runs, strict=True))
    longest = max(runs.values(), key=len)
    filled = {key: run + run[-1:] * (len(longest) - len(run)) for key, run in runs.items()}
    excess = np.array([[[value for _, value in filled[rate, seed]] for rate in rates] for seed in seeds])
    return Curves(np.array(rates), np.array([step for step, _ in longest]), np.moveaxis(excess, -1, 0))
