"""Logistic regression against finite differences, brute force and plain gradient descent."""

import numpy as np
import pytest

from largebatch.knee import published_problem, uneven_problem
from largebatch.logistic import LogisticRegression, draw, sigmoid, softplus

RNG = np.random.default_rng(3)
PROBLEM = draw(RNG, np.array([1.0, 0.5, 0.25]), 200)
WEIGHTS = RNG.standard_normal(3)


def test_gradient_and_hessian_are_the_derivatives_of_the_loss():
    steps = 1e-5 * np.eye(3)
    slopes = [(PROBLEM.loss(WEIGHTS + step) - PROBLEM.loss(WEIGHTS - step)) / 2e-5 for step in steps]
    np.testing.assert_allclose(PROBLEM.gradient(WEIGHTS), slopes, rtol=1e-6)
    bends = [(PROBLEM.gradient(WEIGHTS + step) - PROBLEM.gradient(WEIGHTS - step)) / 2e-5 for step in steps]
    np.testing.assert_allclose(PROBLEM.hessian(WEIGHTS), bends, rtol=1e-6)


def test_noise_is_the_covariance_of_the_examples_gradients():
    gradients = (sigmoid(PROBLEM.features @ WEIGHTS) - PROBLEM.labels)[:, None] * PROBLEM.features
    trace, squared_norm = PROBLEM.noise(WEIGHTS)
    np.testing.assert_allclose(trace, np.trace(np.cov(gradients.T, bias=True)))
    np.testing.assert_allclose(squared_norm, (gradients.mean(axis=0) ** 2).sum())


def test_many_runs_at_once_equal_each_by_itself():
    runs = RNG.standard_normal((3, 5))
    for together in (
        PROBLEM.loss,
        lambda weights: PROBLEM.noise(weights)[0],
        lambda weights: PROBLEM.gradient(weights).T,
    ):
        np.testing.assert_allclose(together(runs), [together(weights) for weights in runs.T])


def test_newton_finds_what_four_thousand_steps_of_descent_find():
    problem, _ = published_problem()
    weights = np.zeros(30)
    for _ in range(4000):
        weights -= problem.gradient(weights)
    np.testing.assert_allclose(problem.optimum, weights, atol=1e-12)
    assert problem.loss(weights) == pytest.approx(problem.least_loss, abs=1e-15)


def test_labels_that_a_plane_separates_have_no_optimum():
    features = RNG.standard_normal((50, 2))
    with pytest.raises((ValueError, np.linalg.LinAlgError)):
        _ = LogisticRegression(features, (features[:, 0] > 0).astype(float)).optimum


def test_label_noise_raises_the_least_loss_and_no_noise_changes_nothing():
    losses = [uneven_problem(noise).least_loss for noise in (0.0, 0.2, 0.5)]
    assert losses == sorted(losses) and losses[0] < 0.54
    rng = np.random.default_rng(7)
    features = rng.standard_normal((4096, 32)) * np.arange(1, 33) ** -0.5
    labels = sigmoid(features @ rng.standard_normal(32)) > rng.random(4096)
    np.testing.assert_array_equal(uneven_problem().features, features)
    np.testing.assert_array_equal(uneven_problem().labels, labels)


@pytest.mark.filterwarnings("error")
def test_no_overflow_for_extreme_logits():
    logits = np.array([-1e4, -30.0, 0.0, 30.0, 1e4])
    np.testing.assert_allclose(sigmoid(logits), [0, np.exp(-30), 0.5, 1, 1], rtol=1e-9)
    np.testing.assert_allclose(softplus(logits), [0, np.exp(-30), np.log(2), 30, 1e4], rtol=1e-9)
