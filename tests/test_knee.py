"""The knee: the published table, the fit, and the measured records, by the command that a reader types."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from largebatch.descent import Curves
from largebatch.knee import BATCHES, Knee, fit, knee, uneven_problem

COMMAND = [sys.executable, "-W", "error", "-m", "largebatch.knee"]
PUBLISHED = """\
32 2 2
64 4 2
128 8 3
256 16 3
512 31 4
1024 61 6
2048 - 11
4096 - 22
"""


def run(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def measured() -> dict[int, list[dict]]:
    """Return the records of two seeds of the minibatches."""
    return {seed: json.loads(run("measured", "--json", "--seed", str(seed)).stdout) for seed in (0, 20)}


def test_the_published_table_is_reproduced_cell_by_cell():
    assert run("published").stdout == PUBLISHED


@pytest.mark.parametrize("seed", [0, 20])
def test_measured_records(measured, seed):
    knees = [Knee(**record) for record in measured[seed]]
    assert [found.target for found in knees] == [0.3, 0.2, 0.1, 0.05, 0.03]
    for found in knees:
        assert found.b_crit == pytest.approx(found.e_min / found.s_min)
        assert found.b_crit_low < found.b_crit_high
        assert 0.75 * found.b_crit < found.b_crit_low and found.b_crit_high < 1.25 * found.b_crit
        assert 1 / 1.5 < found.b_simple / found.b_crit < 1.5
    assert 170 < knees[2].b_crit < 270
    assert [found.b_crit for found in knees] == sorted(found.b_crit for found in knees), "a harder target, a later knee"


def test_another_seed_draws_other_minibatches_of_the_same_problem(measured):
    assert measured[0] != measured[20]
    for one, other in zip(measured[0], measured[20], strict=True):
        assert one["b_crit"] == pytest.approx(other["b_crit"], rel=0.25)


def test_the_table_for_people_has_a_line_for_each_target():
    result = run("measured")
    assert len(result.stdout.splitlines()) == 6 and result.stderr == ""


@pytest.mark.parametrize("arguments", [["measured", "--seed", "-1"], ["measured", "--seed", "x"], [], ["guessed"]])
def test_bad_arguments_are_refused_with_one_line_of_reason(arguments):
    result = run(*arguments)
    assert result.returncode == 2 and "error:" in result.stderr and "Traceback" not in result.stderr


def test_an_interrupt_ends_without_a_traceback():
    process = subprocess.Popen(
        [*COMMAND, "measured"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    )
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130 and "Traceback" not in err and out == ""


# -- the fit ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("s_min", "b_crit"), [(13.0, 220.0), (1000.0, 2048.0), (3.5, 8.0)])
def test_the_fit_recovers_the_law(s_min, b_crit):
    batches = np.array(BATCHES)
    np.testing.assert_allclose(fit(batches, s_min * (1 + b_crit / batches)), [s_min, b_crit], rtol=1e-6)


def test_the_fit_is_least_squares_on_the_logarithm():
    batches = np.array(BATCHES)
    steps = 13 * (1 + 220 / batches) * np.exp(0.1 * np.random.default_rng(0).standard_normal(11))

    def squares(s_min, b_crit):
        return ((np.log(steps) - np.log(s_min * (1 + b_crit / batches))) ** 2).sum()

    best = squares(*fit(batches, steps))
    for factor in (0.99, 1.01):
        s_min, b_crit = fit(batches, steps)
        assert min(squares(factor * s_min, b_crit), squares(s_min, factor * b_crit)) > best


def test_many_fits_at_once_equal_each_by_itself():
    steps = 13 * (1 + 220 / np.array(BATCHES)) * np.exp(0.1 * np.random.default_rng(0).standard_normal((5, 11)))
    np.testing.assert_allclose(np.transpose(fit(BATCHES, steps)), [fit(BATCHES, row) for row in steps])


def test_steps_without_a_knee_give_one_far_outside_the_batch_sizes():
    assert fit(BATCHES, 1e5 / np.array(BATCHES))[1] > 10 * max(BATCHES)
    assert fit(BATCHES, np.full(11, 100.0))[1] < 0.1 * min(BATCHES)


@pytest.mark.parametrize("steps", [[10, 5], [10, np.inf, 5], [10, np.nan, 5], [10, 0, 5]])
def test_a_fit_without_enough_numbers_is_refused(steps):
    with pytest.raises(ValueError, match="at least three batch sizes"):
        fit(BATCHES[: len(steps)], steps)


# -- targets that cannot be asked for, or are not reached ------------------------------------------------------------------------


def test_a_target_that_some_batch_does_not_reach_is_recorded_as_such():
    stuck = Curves(np.array([1.0]), np.array([0, 1, 2]), np.ones((3, 24, 1)))
    assert knee(uneven_problem(), [stuck] * 3, (4, 8, 16), 0.1, seed=0) == Knee(0.1, *[None] * 6)


@pytest.mark.parametrize("target", [0, 1, -0.1, 1.5, np.nan])
def test_a_target_is_a_share_of_the_initial_excess(target):
    with pytest.raises(ValueError, match="between 0 and 1"):
        knee(uneven_problem(), [], (), target, seed=0)
