"""The recorded tables: readable from anywhere, complete, and as data/README.md describes them."""

import hashlib

import pytest

from largebatch.data import FOLDER, table

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


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.name)
def test_readme_describes_each_table_and_knows_its_checksum(path):
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    lines = [
        line for line in (FOLDER / "README.md").read_text(encoding="utf-8").splitlines() if f"`{path.name}`" in line
    ]
    assert len(lines) == 1
    assert f"`{digest}`" in lines[0]


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.name)
def test_every_row_of_a_table_names_its_source(path):
    assert all(row["source"] for row in table(path.stem))
