"""Stochastic gradient descent: the many-run engine against one plain loop, crossings by hand, and bad input."""

import time
from itertools import islice

import numpy as np
import pytest

from largebatch.descent import (
    CATCH_UP,
    Curves,
    ExcessLoss,
    crossing,
    epoch_losses,
    epochs_to_target,
    excess_curves,
    walk,
)
from largebatch.knee import uneven_problem
from largebatch.logistic import draw, sigmoid

PROBLEM = uneven_problem()
RATES = np.array([0.5, 2.0, 4.0])
TARGET = 0.2 * PROBLEM.initial_excess


def plain_runs(batch_size, rates, num_seeds, num_steps, warmup_steps=0):
    """Return the weights after num_steps, one run at a time, on the same minibatches, shape (seeds, d, rates)."""
    rng = np.random.default_rng(5)
    batches = [rng.integers(0, PROBLEM.num_examples, (num_seeds, batch_size)) for _ in range(num_steps)]
    weights = np.zeros((num_seeds, 32, len(rates)))
    for seed in range(num_seeds):
        for column, rate in enumerate(rates):
            for step in range(num_steps):
                chosen = batches[step][seed]
                features, labels = PROBLEM.features[chosen], PROBLEM.labels[chosen]
                gradient = features.T @ (sigmoid(features @ weights[seed, :, column]) - labels) / batch_size
                weights[seed, :, column] -= rate * min(1, (step + 1) / max(warmup_steps, 1)) * gradient
    return weights


@pytest.mark.parametrize("warmup_steps", [0, 7])
def test_many_runs_at_once_equal_one_at_a_time(warmup_steps):
    run = walk(PROBLEM, 16, RATES, 3, np.random.default_rng(5), warmup_steps)
    for _ in range(21):
        weights = next(run)
    np.testing.assert_allclose(weights, plain_runs(16, RATES, 3, 20, warmup_steps), atol=2e-5)


def test_learning_rates_see_the_same_minibatches():
    together = excess_curves(PROBLEM, 32, RATES, TARGET, 2, np.random.default_rng(0))
    alone = excess_curves(PROBLEM, 32, RATES[1:2], TARGET, 2, np.random.default_rng(0))
    shared = min(len(together.steps), len(alone.steps)) - 1  # the last loss of a sweep stands off the grid
    np.testing.assert_allclose(together.excess[:shared, :, 1], alone.excess[:shared, :, 0], atol=1e-6)


def test_excess_in_single_precision_is_the_excess():
    weights = np.random.default_rng(1).standard_normal((3, 32, 40))
    expected = [PROBLEM.loss(columns) - PROBLEM.least_loss for columns in weights]
    np.testing.assert_allclose(ExcessLoss(PROBLEM)(weights.astype("f4")), expected, atol=1e-6)


def test_curves_end_soon_after_the_first_rate_reaches_the_target():
    curves = excess_curves(PROBLEM, 64, RATES, TARGET, 4, np.random.default_rng(0))
    first = curves.steps_to(TARGET).min()
    assert curves.steps[0] == 0 and np.allclose(curves.excess[0], PROBLEM.initial_excess, atol=1e-6)
    assert CATCH_UP * first <= curves.steps[-1] <= CATCH_UP * (1.04 * first + 2)


def test_crossing_by_hand():
    steps = np.array([0, 1, 2, 10])
    excess = np.array(
        [[8.0, 8.0, 1.0, np.inf], [4.0, 8.0, 1.0, np.inf], [2.0, 8.0, 1.0, np.inf], [0.125, 2.0, 1.0, np.inf]]
    )
    np.testing.assert_allclose(crossing(steps, excess, 4.0), [1, 6, 0, np.inf])
    np.testing.assert_allclose(crossing(steps, excess, 0.5), [6, np.inf, np.inf, np.inf])


def test_best_rate_lies_between_the_rates_that_were_run():
    steps = np.array([0, 90, 95, 100, 140])
    reached_at = np.array([120, 90, 95, np.inf])
    excess = np.where(steps[:, None] >= reached_at, 0.1, 1.0)[:, None]
    best = Curves(np.array([1.0, 2.0, 4.0, 8.0]), steps, excess).best_rate(0.1)
    assert best == pytest.approx(2.6226, abs=1e-3)
    last_cut_off = Curves(np.array([1.0, 2.0, 4.0]), steps, excess[:, :, [0, 1, 3]])
    assert last_cut_off.best_rate(0.1) == pytest.approx(2.0, abs=1e-3)
    assert Curves(np.array([1.0]), steps, excess[:, :, :1]).best_rate(0.1) == 1.0
    with pytest.raises(ValueError, match="no learning rate reached the target"):
        Curves(np.array([1.0]), steps, excess[:, :, 3:]).best_rate(0.1)


@pytest.mark.filterwarnings("error")
def test_rates_that_never_get_there_are_said_not_to_and_end():
    start = time.monotonic()
    slow = excess_curves(PROBLEM, 4096, np.array([1e-6]), TARGET, 2, np.random.default_rng(0))
    absurd = excess_curves(PROBLEM, 512, np.array([2.0, 1e30, 1e300]), TARGET, 2, np.random.default_rng(0))
    assert np.isinf(slow.steps_to(TARGET)).all()
    assert np.isfinite(absurd.steps_to(TARGET)[0]) and np.isinf(absurd.steps_to(TARGET)[1:]).all()
    assert time.monotonic() - start < 60
    small = draw(np.random.default_rng(0), np.ones(3), 64)
    assert epochs_to_target(small, small.least_loss + 1e-9, 8, 1e300, 0, 3, np.random.default_rng(0)) is None
    assert np.isinf(list(islice(epoch_losses(small, 8, 1e308, 0, np.random.default_rng(0)), 3))).all()


@pytest.mark.parametrize(
    ("batch_size", "rates", "excess", "warmup_steps", "message"),
    [
        (0, RATES, TARGET, 0, "at least 1, not 0"),
        (2.5, RATES, TARGET, 0, "not 2.5"),
        (8, [1.0, np.nan], TARGET, 0, "finite and positive"),
        (8, [np.inf], TARGET, 0, "finite and positive"),
        (8, [-1.0], TARGET, 0, "finite and positive"),
        (8, [], TARGET, 0, "finite and positive"),
        (8, RATES, -0.001, 0, "the least possible is 0.53"),
        (8, RATES, 0.0, 0, "the least possible is 0.53"),
        (8, RATES, np.nan, 0, "the least possible is 0.53"),
        (8.0, RATES, TARGET, 0, "not 8.0"),
        (8, RATES, TARGET, -1, "0 or more steps"),
        (8, RATES, TARGET, np.nan, "0 or more steps"),
        (8, RATES, TARGET, np.inf, "0 or more steps"),
    ],
)
def test_runs_that_cannot_be_made_are_refused(batch_size, rates, excess, warmup_steps, message):
    rng, rates = np.random.default_rng(0), np.array(rates, float)
    with pytest.raises(ValueError, match=message):
        excess_curves(PROBLEM, batch_size, rates, excess, 2, rng, warmup_steps)
    if rates.size == 1 or "finite" not in message:
        with pytest.raises(ValueError, match=message):
            epochs_to_target(PROBLEM, PROBLEM.least_loss + excess, batch_size, rates[0], warmup_steps, 3, rng)
    if "least possible" not in message:
        with pytest.raises(ValueError, match=message):
            next(walk(PROBLEM, batch_size, rates, 2, rng, warmup_steps))


def test_a_target_that_is_reached_from_the_start_takes_no_steps():
    curves = excess_curves(PROBLEM, 64, RATES, 1.1 * PROBLEM.initial_excess, 2, np.random.default_rng(0))
    assert (curves.steps_to(1.1 * PROBLEM.initial_excess) == 0).all()


def test_a_curve_that_touches_the_optimum_crosses_where_it_falls():
    steps, excess = np.array([0, 10, 20]), np.array([[1.0, 1.0], [0.5, 1.0], [-1e-7, 0.1]])
    found = crossing(steps, excess, 0.1)
    assert 10 < found[0] < 20 and found[1] == 20
