"""autograder/trial.py and autograder/check.py: what `make check` tells a learner."""

import re

import nbformat
import pytest
from submissions import HARD_CODED, RIGHT, WARM_UP, read, submission

from autograder import check
from autograder.preprocessors import HIDDEN
from autograder.verdicts import exercise_of


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Return where the learner's notebook lies, in a course of its own."""
    (tmp_path / "notebooks" / WARM_UP).mkdir(parents=True)
    nbformat.write(read("notebooks", WARM_UP), tmp_path / "notebooks" / WARM_UP / f"{WARM_UP}.ipynb")
    monkeypatch.setattr(check, "COURSE", tmp_path)
    path = tmp_path / "work" / WARM_UP / f"{WARM_UP}.ipynb"
    path.parent.mkdir(parents=True)
    return path


def checked(own, answers, capsys) -> tuple[int, str]:
    """Hand in these answers; return the exit status and what was printed, with single spaces."""
    nbformat.write(submission(WARM_UP, answers), own)
    status = check.main([WARM_UP])
    printed = capsys.readouterr()
    assert printed.err == ""
    return status, re.sub(r"\s+", " ", printed.out)


def test_everything_right(own, capsys):
    status, said = checked(own, RIGHT, capsys)
    assert status == 0
    assert "spread_of_mean 2/2 ok spread_of_mean_by_hand 1/1 ok spread_of_mean_any_batch 1/1" in said
    assert "3 of 3 points Everything is right." in said


def test_a_wrong_answer_is_explained_and_an_unanswered_one_is_not(own, capsys):
    status, said = checked(own, {"spread_of_mean": HARD_CODED}, capsys)
    assert status == 1
    assert "spread_of_mean 1/2 ok spread_of_mean_by_hand 1/1 NO spread_of_mean_any_batch 0/1 not yet expected" in said
    assert "got 2 quiz_validate 0/1 not answered yet 1 of 3 points Next:" in said
    hidden = [text for cell in read("solutions", WARM_UP).cells for text in HIDDEN.findall(cell.source)]
    assert hidden
    assert not any(line.strip() in said for text in hidden for line in text.splitlines() if line.strip())


def test_an_answer_cell_that_fails_is_named_first(own, capsys):
    status, said = checked(
        own, {**RIGHT, "spread_of_mean": "def spread_of_mean(spread, batch_size)\n    return 2"}, capsys
    )
    assert status == 1 and "the answer cell itself stops with SyntaxError: expected ':'" in said and "1 of 3" in said


def test_a_kernel_that_dies_is_said_so(own, capsys):
    status, said = checked(own, {"spread_of_mean": "import os\nos._exit(1)"}, capsys)
    assert status == 2 and said.startswith("00_start_here: the kernel died while the notebook ran")


@pytest.mark.parametrize("content", ["", "{", "[]", '{"cells": 3}', '{"nbformat": 9, "cells": []}'])
def test_an_unreadable_notebook_is_said_so(content, own, capsys):
    own.write_text(content)
    assert check.main([WARM_UP]) == 2
    assert "work/00_start_here/00_start_here.ipynb is not a readable notebook" in capsys.readouterr().out


@pytest.mark.parametrize(
    "lessons, says",
    [
        ([], "say which lesson, such as LESSON=00_start_here; there are 00_start_here\n"),
        (["no_such"], "no lesson 'no_such'; there are 00_start_here\n"),
        ([WARM_UP], "00_start_here: you have no copy yet; make lab makes one"),
    ],
)
def test_nothing_to_check(lessons, says, own, capsys):
    assert check.main(lessons) == 2
    assert capsys.readouterr().out.startswith(says)


def test_a_check_belongs_to_the_longest_name_that_it_begins_with():
    assert exercise_of("noise_scale_by_hand", ["noise", "noise_scale", "noise_sc"]) == "noise_scale"
