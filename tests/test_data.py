"""The recorded tables: readable from anywhere, complete, and as data/README.md describes them."""

import hashlib
import re
from pathlib import Path

import numpy as np
import pytest

from largebatch.data import FOLDER, curves_of, language_sweep, table

TABLES = sorted(FOLDER.glob("*.csv"))


def test_tables_are_read_from_any_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = {row["model"]: row for row in table("published_batches")}
    assert rows["GPT-3 175B"]["published_rate_high"] == 6e-5
    assert isinstance(rows["Pythia 12B"]["source"], str)


def test_an_empty_field_is_none(tmp_path, monkeypatch):
    (tmp_path / "made_up.csv").write_text("name,rate\nfirst,\nsecond,0.5\n", encoding="utf-8")
    monkeypatch.setattr("largebatch.data.FOLDER", tmp_path)
    assert [row["rate"] for row in table("made_up")] == [None, 0.5]


def test_an_unknown_table_is_refused_by_naming_those_there_are():
    with pytest.raises(FileNotFoundError, match=r"no table 'nothing'; there are .*published_batches"):
        table("nothing")


def described(path: Path) -> str:
    """Return the one line of data/README.md that begins with this table."""
    lines = (FOLDER / "README.md").read_text(encoding="utf-8").splitlines()
    (line,) = [line for line in lines if line.startswith(f"| `{path.name}`")]
    return line


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.name)
def test_readme_describes_each_table_and_knows_its_checksum(path):
    assert f"`{hashlib.sha256(path.read_bytes()).hexdigest()}`" in described(path)


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.name)
def test_a_table_names_the_script_that_made_it_or_a_source_in_every_row(path):
    script = re.search(r"`(benchmarks/\w+\.py)`", described(path))
    if script:
        assert (FOLDER.parent / script[1]).exists()
    else:
        assert all(row["source"] for row in table(path.stem))


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.name)
def test_tables_are_small_and_every_column_is_described(path):
    assert path.stat().st_size < 200_000
    if "benchmarks/" in described(path):
        columns = path.read_text(encoding="utf-8").split("\n", 1)[0].split(",")
        assert [column for column in columns if f"`{column}`" not in described(path)] == []


def test_runs_of_unequal_length_are_continued_with_their_last_excess():
    runs = {
        (0.1, 0.0): [(0, 1.0), (1, 0.5), (2, 0.1)],
        (0.1, 1.0): [(0, 1.2), (1, 0.1)],
        (0.2, 0.0): [(0, 1.0), (1, 0.4)],
        (0.2, 1.0): [(0, 1.2), (1, 0.3), (2, 0.2)],
    }
    curves = curves_of(runs)
    assert curves.rates.tolist() == [0.1, 0.2] and curves.steps.tolist() == [0, 1, 2]
    assert curves.excess.shape == (3, 2, 2)
    assert np.array_equal(curves.excess[:, 0, 0], [1.0, 0.5, 0.1])
    assert np.array_equal(curves.excess[:, 1, 0], [1.2, 0.1, 0.1])
    assert np.array_equal(curves.excess[:, 1, 1], [1.2, 0.3, 0.2])


def test_the_language_sweep_is_complete_and_every_best_rate_lies_inside_the_grid():
    sweep = language_sweep()
    assert list(sweep) == [2**power for power in range(2, 12)]
    for size, curves in sweep.items():
        assert curves.excess.shape[1:] == (3, 5)
        for target in (0.4, 0.3, 0.2, 0.15, 0.12):
            steps = curves.steps_to(target)
            assert np.isfinite(steps.min()) and 0 < steps.argmin() < 4, (size, target)
