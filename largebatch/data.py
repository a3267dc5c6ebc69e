"""Recorded data of the course: small tables under data/, each with its origin in data/README.md."""

import csv
from pathlib import Path

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
