"""Copy what is not there yet from notebooks/ to work/, the learner's own folder; never overwrite anything.

usage: python tools/work.py

Where a notebook has a newer version than the learner's copy, say so and how to start it.
"""

import itertools
import json
import shutil
from pathlib import Path

NOTEBOOKS, WORK = Path("notebooks"), Path("work")


def copy_missing(released: Path, own: Path) -> bool:
    """Copy the files of a released folder that are not in the learner's folder; return whether there were any."""
    missing = [file for file in released.iterdir() if file.is_file() and not (own / file.name).exists()]
    own.mkdir(parents=True, exist_ok=True)
    for file in missing:
        shutil.copy(file, own / file.name)
    return bool(missing)


def version(notebook: Path) -> str | None:
    """Return the version that a notebook was released with; None where it cannot be read."""
    try:
        return json.loads(notebook.read_text(encoding="utf-8"))["metadata"]["largebatch"]["version"]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def notice(released: Path, own: Path) -> str:
    """Return what to tell about a copy of another version than the released one; empty where they are the same."""
    notebook = f"{released.name}.ipynb"
    theirs = version(own / notebook)
    if theirs == version(released / notebook):
        return ""
    names = (f"{own.as_posix()}.old{number}" for number in itertools.count(1))
    aside = next(name for name in names if not Path(name).exists())
    what = "there is a newer version of this notebook" if theirs else "this notebook cannot be read"
    return f"{own.as_posix()}: {what}; yours is kept. To start afresh: mv {own.as_posix()} {aside} && make lab"


def main() -> None:
    """Bring work/ up to date with notebooks/ and print what was done."""
    for released in sorted(path.parent for path in NOTEBOOKS.glob("*/*.ipynb")):
        own = WORK / released.name
        if copy_missing(released, own):
            print(f"{own.as_posix()}: copied, ready to work on")
        elif news := notice(released, own):
            print(news)


if __name__ == "__main__":
    main()
