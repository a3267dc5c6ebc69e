"""The knee: the published table, the fit, and the measured records, by the command that a reader types."""

import json
import shlex
import signal
import subprocess
import sys
import time
from functools import partial

import numpy as np
import pytest

from largebatch.descent import Curves, crossing, epochs_to_target
from largebatch.knee import (
    BASE_BATCH,
    BASE_RATE,
    BATCHES,
    PUBLISHED_BATCHES,
    PUBLISHED_EXCESS,
    Knee,
    fit,
    knee,
    published_problem,
    stream,
    tuned_sweep,
    uneven_problem,
)

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
    return {seed: json.loads(run("measured", "--json", "--seed", str(seed)).stdout) for seed in (0, 103)}


def test_the_published_table_is_reproduced_cell_by_cell():
    assert run("published").stdout == PUBLISHED


@pytest.mark.parametrize("seed", [0, 103])
def test_measured_records(measured, seed):
    knees = [Knee(**record) for record in measured[seed]]
    assert [found.target for found in knees] == [0.3, 0.2, 0.1, 0.05, 0.03]
    for found in knees:
        assert found.b_crit == pytest.approx(found.e_min / found.s_min)
        assert found.b_crit_low < found.b_crit_high
        assert 0.8 * found.b_crit < found.b_crit_low and found.b_crit_high < 1.35 * found.b_crit
        assert 1 / 1.5 < found.b_simple / found.b_crit < 1.5
    assert 170 < knees[2].b_crit < 270
    assert [found.b_crit for found in knees] == sorted(found.b_crit for found in knees), "a harder target, a later knee"


def test_another_seed_draws_other_minibatches_of_the_same_problem(measured):
    assert measured[0] != measured[103]
    for one, other in zip(measured[0], measured[103], strict=True):
        assert one["b_crit"] == pytest.approx(other["b_crit"], rel=0.25)


def test_the_table_for_people_has_a_line_for_each_target():
    result = run("measured")
    assert len(result.stdout.splitlines()) == 6 and result.stderr == ""


@pytest.mark.parametrize("arguments", [["measured", "--seed", "-1"], ["measured", "--seed", "x"], [], ["guessed"]])
def test_bad_arguments_are_refused_with_one_line_of_reason(arguments):
    result = run(*arguments)
    assert result.returncode == 2 and "error:" in result.stderr and "Traceback" not in result.stderr


def test_an_interrupt_ends_without_a_traceback():
    interruptible = partial(
        signal.signal, signal.SIGINT, signal.SIG_DFL
    )  # where the tests run in the background, it is ignored
    pipes = dict(stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process = subprocess.Popen([*COMMAND, "measured"], preexec_fn=interruptible, **pipes)
    time.sleep(2)  # until it has started, beside other work
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130 and "Traceback" not in err and out == ""


def test_a_reader_that_stops_reading_gets_no_traceback():
    command = f"{shlex.join([*COMMAND, 'published'])} | head -1"
    result = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60)
    assert result.stdout == "32 2 2\n" and result.stderr == ""


# -- the experiments behind the lesson's claims ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_without_a_warmup_that_grows_with_the_batch_there_is_no_knee(seed):
    problem, _ = published_problem()
    target = problem.least_loss + PUBLISHED_EXCESS
    for batch_size in PUBLISHED_BATCHES:
        for warmup_steps in (0, -(-problem.num_examples // batch_size)):
            rate, rng = BASE_RATE * batch_size / BASE_BATCH, np.random.default_rng(seed)
            assert epochs_to_target(problem, target, batch_size, rate, warmup_steps, 80, rng) in (2, 3)


def test_the_best_rate_is_never_at_an_end_of_the_grid_and_minibatches_differ_between_batch_sizes():
    problem = uneven_problem()
    for curves in tuned_sweep(problem, 0.05 * problem.initial_excess, seed=0, num_seeds=8):
        for target in (0.3, 0.1, 0.05):
            assert 0 < curves.steps_to(target * problem.initial_excess).argmin() < len(curves.rates) - 1
    assert stream(0, 8).integers(1000) != stream(0, 16).integers(1000)


def test_the_interval_is_the_mirrored_bootstrap_interval():
    problem, batches, rng = uneven_problem(), (16, 64, 256, 1024), np.random.default_rng(1)
    steps, excess = np.arange(200), 0.1 * problem.initial_excess
    sweep = []
    for batch_size in batches:  # each run falls in a straight line and arrives at its own time
        arrival = 10 * (1 + 200 / batch_size) * np.exp(0.2 * rng.standard_normal((24, 2)))
        runs = np.maximum(problem.initial_excess * (1 - 0.9 * steps[:, None, None] / arrival), 0.01 * excess)
        sweep.append(Curves(np.array([1.0, 2.0]), steps, runs))
    found = knee(problem, sweep, batches, 0.1, seed=5)
    picks = np.random.default_rng(5).integers(0, 24, (400, 24))
    resampled = []
    for pick in picks:
        counts = [crossing(c.steps, c.excess[:, pick].mean(axis=1), excess).min() for c in sweep]
        resampled.append(fit(batches, counts)[1])
    low, high = np.percentile(resampled, [2.5, 97.5])
    assert found.b_crit_low == pytest.approx(found.b_crit**2 / high, rel=1e-3)
    assert found.b_crit_high == pytest.approx(found.b_crit**2 / low, rel=1e-3)


@pytest.mark.parametrize("target", [0.9, 0.999])
def test_a_target_that_the_first_step_reaches_has_its_record(target):
    problem, batches = uneven_problem(), (16, 64, 256)
    sweep = list(tuned_sweep(problem, target * problem.initial_excess, 0, 4, batches))
    assert np.isfinite(knee(problem, sweep, batches, target, seed=0).b_simple)


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


@pytest.mark.parametrize("batches", [(0, 4, 8), (-4, 4, 8), (8, 8, 16), (8, 8, 8)])
def test_a_fit_needs_three_different_batch_sizes(batches):
    with pytest.raises(ValueError, match="at least three batch sizes"):
        fit(batches, [30, 20, 10])


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
