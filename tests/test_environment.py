"""The set-up that is promised: one list of versions for pip, conda and Binder; and a README whose map and links are true."""

import os
import re
import tomllib
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from repo2docker.app import Repo2Docker

COURSE = Path(__file__).parent.parent
LESSONS = sorted(path.stem for path in (COURSE / "lessons").glob("[0-9]*.py"))
README = (COURSE / "README.md").read_text(encoding="utf-8")
PAGES = sorted([*COURSE.glob("*.md"), *COURSE.glob("[a-z]*/README.md")])
PROJECT = tomllib.loads((COURSE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LEARNER = [
    line
    for line in (COURSE / "requirements.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
PINS = {Requirement(line).name: Requirement(line) for line in LEARNER if line != "-e ."}
EXTRAS = PROJECT["optional-dependencies"]
OTHERS = "largebatch[cluster,demos]"  # how one extra holds others
AUTHOR = [*EXTRAS["cluster"], *EXTRAS["demos"], *(line for line in EXTRAS["dev"] if line != OTHERS)]


# -- versions ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("requirement", [*map(str, PINS.values()), *AUTHOR])
def test_every_requirement_is_pinned_and_is_what_is_installed(requirement):
    pin = Requirement(requirement)
    assert [specifier.operator for specifier in pin.specifier] == ["=="]
    assert pin.specifier.contains(version(pin.name)), f"{version(pin.name)} is installed; run make again"


def test_everything_that_the_package_imports_is_pinned_for_learners():
    assert "-e ." in LEARNER
    assert set(PROJECT["dependencies"]) <= set(PINS)


def test_authors_have_what_shows_the_demos_and_what_grades_on_a_cluster():
    assert OTHERS in EXTRAS["dev"]
    assert [Requirement(line).name for line in EXTRAS["cluster"]] == ["distributed"]
    assert [Requirement(line).name for line in EXTRAS["demos"]] == ["voila"]


def test_conda_gets_the_same_versions():
    *conda, pip = yaml.safe_load((COURSE / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    versions = dict(entry.partition("=")[::2] for entry in conda)
    assert versions["pytorch-cpu"] and PINS["torch"].specifier == SpecifierSet(f"=={versions['pytorch-cpu']}")
    assert versions["python"] and SpecifierSet(PROJECT["requires-python"]).contains(versions["python"])
    assert pip == {"pip": ["-r requirements.txt", "-e .[demos]"]}


def test_binder_builds_from_environment_yml(monkeypatch):
    monkeypatch.chdir(COURSE)
    app = Repo2Docker()
    packs = [pack(app.base_image) for pack in app.buildpacks]
    chosen = next(pack for pack in packs if pack.detect())
    assert type(chosen).__name__ == "CondaBuildPack"
    assert chosen.binder_dir == "", "a binder folder would hide environment.yml"
    chosen.platform = "linux/amd64"
    dockerfile = chosen.render({"NB_UID": "1000", "NB_USER": "jovyan"})
    copied, installed = dockerfile.index("src/ ${REPO_DIR}/"), dockerfile.index('--file "environment.yml"')
    assert copied < installed, "requirements.txt and the package must be there when the environment is made"
    assert installed < dockerfile.index("RUN ./postBuild"), "it needs the environment"


def test_binder_and_make_disable_the_same_question():
    (command,) = re.findall(r"jupyter labextension disable .+", (COURSE / "postBuild").read_text(encoding="utf-8"))
    assert command in (COURSE / "Makefile").read_text(encoding="utf-8")
    assert os.access(COURSE / "postBuild", os.X_OK)


# -- README -----------------------------------------------------------------------------------------------------------------


def lesson_map() -> dict[str, list[str]]:
    """Return the rows of README's table of lessons: name → first cell, question, minutes, points, badge."""
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in README.splitlines()]
    rows = [row for row in rows if re.match(r"\[?\d\d \w+", row[0])]
    return {re.search(r"\d\d \w+", row[0])[0].replace(" ", "_"): [*row, *[""] * (5 - len(row))] for row in rows}


def test_map_counts_the_lessons_from_00_to_10():
    assert [name[:2] for name in lesson_map()] == [f"{number:02d}" for number in range(11)]
    assert set(LESSONS) <= set(lesson_map())


@pytest.mark.parametrize("lesson", LESSONS)
def test_map_says_what_the_lesson_says(lesson):
    first_cell = (COURSE / "lessons" / f"{lesson}.py").read_text(encoding="utf-8").split("# %%")[1]
    notebook = f"notebooks/{lesson}/{lesson}.ipynb"
    name, question, minutes, points, badge = lesson_map()[lesson]
    assert name.endswith(f"({notebook})")
    assert question == re.search(r"^# \d\d · (.+)$", first_cell, re.M)[1].replace("$", "")
    assert minutes == re.search(r"^\*\*Minutes\*\* (\d+)", first_cell, re.M)[1]
    assert points == re.search(r"^\*\*Points\*\* (\d+)", first_cell, re.M)[1]
    assert badge.startswith("[![Binder](https://mybinder.org/badge_logo.svg)](https://mybinder.org/v2/gh/")
    assert badge.endswith(f"/HEAD?urlpath=lab/tree/{notebook})")


def test_a_visitor_is_led_to_jupyterlab_and_to_the_demos():
    top = README.split("\n## ")[0]
    binder = r"\]\(https://mybinder\.org/v2/gh/[^/]+/large-batch-training/HEAD\?urlpath=([a-z/]+?)/(notebooks/\S+)\)"
    badges = dict(re.findall(binder, top))
    assert set(badges) == {"lab/tree", "voila/render"}
    assert badges["voila/render"] == "notebooks/demos/demos.ipynb"
    assert all((COURSE / path).exists() for path in badges.values())


def test_lessons_that_are_not_written_are_not_linked():
    for lesson in set(lesson_map()) - set(LESSONS):
        assert "](" not in "".join(lesson_map()[lesson]), lesson


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(COURSE)))
def test_every_link_to_a_file_is_true(page):
    links = [urlsplit(link) for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))]
    for link in links:
        if not link.scheme and link.path:
            assert (page.parent / link.path).exists(), f"{page.name} links to {link.path}"


def test_what_a_public_repository_needs_is_there():
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE"):
        assert (COURSE / name).stat().st_size, name


def test_the_repository_has_one_name_everywhere():
    named = {
        file: set(re.findall(r"[\w.-]+/large-batch-training", (COURSE / file).read_text(encoding="utf-8")))
        for file in ("README.md", "CITATION.cff", "pyproject.toml")
    }
    names = set.union(*named.values())
    assert len(names) == 1 and all(found == names for found in named.values()), named
