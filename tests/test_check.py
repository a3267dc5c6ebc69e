"""largebatch/check.py and largebatch/quiz.py: what they accept, and what they say to a wrong answer."""

import re
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from largebatch.check import WrongAnswer, check, check_raises
from largebatch.quiz import check_choice

SCALARS = [
    2,
    2.0,
    np.int64(2),
    np.float32(2),
    np.array(2),
    Fraction(2),
    torch.tensor(2),
    torch.tensor(2.0, requires_grad=True),
    torch.tensor(2.0, dtype=torch.bfloat16),
]
SEQUENCES = [
    [1, 2.5],
    (1, np.float32(2.5)),
    np.array([1, 2.5]),
    torch.tensor([1, 2.5], requires_grad=True),
    [torch.tensor(1), torch.tensor(2.5)],
]


def said_to(got, expected=2.0, **options) -> str:
    """Return what a wrong answer is told."""
    with pytest.raises(WrongAnswer) as wrong:
        check(got, expected, **options)
    return str(wrong.value)


@pytest.mark.parametrize("got", SCALARS, ids=lambda got: f"{type(got).__name__}")
def test_every_kind_of_number_is_accepted(got, capsys):
    check(got, 2, what="ranks", unit="ranks")
    assert capsys.readouterr().out == "right: 2 ranks (ranks)\n"
    check(2, got)
    assert said_to(got, 3) == "not yet\n  expected      3\n  got           2"


@pytest.mark.parametrize("got", SEQUENCES, ids=lambda got: type(got).__name__)
def test_every_kind_of_sequence_is_accepted(got):
    check(got, [1.0, 2.5])
    check([1.0, 2.5], got)
    assert "got           [1, 2.5]" in said_to(got, [1.0, 2.0])


def test_numbers_beyond_64_bits_are_numbers():
    check(6 * 10**23, 6e23, unit="FLOPs")
    assert "likely cause  forward only" in said_to(2 * 10**23, 6 * 10**23, mistakes={"forward only": 2 * 10**23})


def test_tolerance_is_relative_and_tight_unless_said_otherwise():
    check(1e9 * (1 + 1e-7), 1e9)
    said_to(1e9 * (1 + 1e-5), 1e9)
    check(1e9 * (1 + 1e-5), 1e9, rtol=1e-4)
    said_to(1e-9, 0.0)
    check(1e-9, 0.0, atol=1e-8)


def test_the_first_mistake_that_fits_is_named():
    mistakes = {"not this one": 5.0, "these are sequences,\nnot tokens": 4, "later": 4.0}
    assert said_to(4.0, 8192, unit="tokens", mistakes=mistakes).splitlines() == [
        "not yet",
        "  expected      8,192 tokens",
        "  got           4",
        "  likely cause  these are sequences,",
        "                not tokens",
    ]
    assert "likely cause" not in said_to(7.0, 8192, mistakes=mistakes)
    assert "likely cause  swapped" in said_to([2, 1], [1, 2], mistakes={"a number": 2, "swapped": (2, 1)})


@pytest.mark.parametrize(
    "got, says",
    [
        (None, "got           None\n  likely cause  the function ends without `return`"),
        ("2", "got           '2' (str)\n  likely cause  a number, list or array of numbers is asked for"),
        (True, "got           True (bool)"),
        (np.array([True]), "(ndarray)"),
        ({"a": 2}, "got           {'a': 2} (dict)"),
        ([2, None], "got           [2, None] (list)"),
        ([[1], [1, 2]], "got           [[1], [1, 2]] (list)"),
        (2j, "got           2j (complex)"),
        (print, "likely cause  this is a function that was not called: add ()"),
        ("x" * 200, "…"),
        (float("nan"), "got           nan\n  likely cause  a division by zero or an overflow"),
        (np.inf, "got           inf\n  likely cause  a division by zero or an overflow"),
        ([2.0], "likely cause  one number is asked for, this is an array of shape (1,)"),
        (np.zeros((2, 3)), "this is an array of shape (2, 3)"),
    ],
    ids=str,
)
def test_what_is_no_such_number_is_told_why(got, says):
    said = said_to(got)
    assert says in said and "\n  expected      2\n" in said


def test_one_number_where_an_array_is_asked_for():
    assert "an array of shape (2,) is asked for, this is one number" in said_to(1.0, [1.0, 2.0])


def refuse(error):
    def function(*_arguments):
        raise error

    return function


def test_check_raises(capsys):
    check_raises(ValueError, refuse(ValueError("no")), 1, because="10 is not a multiple of 4")
    assert capsys.readouterr().out == "right: ValueError, because 10 is not a multiple of 4\n"
    with pytest.raises(WrongAnswer, match="the impossible case is not caught"):
        check_raises(ValueError, lambda number: number, 1, because="…")
    with pytest.raises(WrongAnswer, match="got           KeyError: 'a'"):
        check_raises(ValueError, refuse(KeyError("a")), because="…")
    with pytest.raises(NotImplementedError):  # not answered yet
        check_raises(RuntimeError, refuse(NotImplementedError("your turn")), because="…")


@pytest.mark.parametrize("answer", ["B", "b", " B ", ["B"], ("b",), {"B"}, frozenset("B")], ids=str)
def test_the_right_option_is_accepted_and_explained(answer, capsys):
    check_choice("quiz_validate", answer)
    said = capsys.readouterr().out
    assert said.startswith("right\nB holds: Validate runs") and "A " not in said


@pytest.mark.parametrize("answer", [{"B", "E"}, "be", "B, E", ["E", "B", "B"]], ids=str)
def test_all_right_options_are_accepted(answer, capsys):
    check_choice("quiz_recipes", answer)
    assert capsys.readouterr().out.count(" holds: ") == 2


@pytest.mark.parametrize(
    "quiz, answer, says",
    [
        ("quiz_validate", "A", ["the option that holds", "A does not hold: Validate cannot see"]),
        ("quiz_recipes", {"B"}, ["the 2 options that hold", "B holds: ", "1 more of the options holds."]),
        ("quiz_recipes", {"A", "C"}, ["A does not hold: ", "C does not hold: ", "2 more of the options hold."]),
        ("quiz_recipes", {"A", "B", "E"}, ["A does not hold: ", "B holds: ", "E holds: "]),
    ],
    ids=str,
)
def test_a_wrong_choice_is_explained_option_by_option(quiz, answer, says):
    with pytest.raises(WrongAnswer) as wrong:
        check_choice(quiz, answer)
    assert all(text in str(wrong.value) for text in says)
    explained = re.findall(r"\b([A-Z]) (?:holds|does not hold): ", str(wrong.value))
    assert explained == sorted(answer), "an option that was not chosen is not given away"


@pytest.mark.parametrize("answer", ["?", "", "D", "AB", None, 2, set(), [1], len])
def test_what_is_no_option_is_told_what_is(answer):
    with pytest.raises(WrongAnswer, match='one letter, such as "A", out of A, B, C'):
        check_choice("quiz_validate", answer)


def test_jupyter_shows_the_message_and_nothing_of_the_check():
    shell = InteractiveShell()
    with capture_output() as shown:
        shell.run_cell("from largebatch.check import check\ncheck(1, 2, mistakes={'too small': 1})  # secret")
    assert shown.stdout.strip() == "not yet\n  expected      2\n  got           1\n  likely cause  too small"


@pytest.mark.parametrize("module", ["largebatch.check", "largebatch.quiz", "largebatch.demos"])
def test_importing_does_not_import_torch(module):
    code = f"import sys, {module}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
