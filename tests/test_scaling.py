"""Each rule against what it promises, worked out in another way: recursions, Monte Carlo, a search for the best step."""

import numpy as np
import pytest

from largebatch.scaling import adam_square_root, linear, saturating, square_root


@pytest.mark.parametrize("rule", [linear, square_root, lambda *args: saturating(*args, 300.0)])
def test_a_rule_does_nothing_at_the_same_batch_and_composes(rule):
    assert rule(0.1, 64, 64) == pytest.approx(0.1)
    assert rule(rule(0.1, 64, 256), 256, 1000) == pytest.approx(rule(0.1, 64, 1000))
    assert rule(0.1, 64, np.array([32, 64, 128])) == pytest.approx([rule(0.1, 64, size) for size in (32, 64, 128)])


def test_values_of_the_lesson():
    assert linear(0.1, 256, 8192) == pytest.approx(3.2)
    assert square_root(0.1, 256, 8192) == pytest.approx(0.5657, abs=1e-4)
    assert saturating(0.1, 256, 8192, 2000) == pytest.approx(0.7083, abs=1e-4)
    assert adam_square_root(3e-4, 0.9, 0.95, 1e-8, 4, 1) == pytest.approx((1.5e-4, 0.975, 0.9875, 2e-8))


def test_linear_keeps_mean_and_covariance_of_the_path_over_the_same_examples():
    """Random examples with a fixed gradient distribution: 8 steps of 16 examples against one step of 128."""
    gradients = 0.3 + np.random.default_rng(0).standard_normal((20_000, 8, 16))
    small = -0.05 * gradients.mean(axis=2).sum(axis=1)
    assert small == pytest.approx(-linear(0.05, 16, 128) * gradients.mean(axis=(1, 2)))


def test_square_root_keeps_the_scatter_of_one_step():
    rng = np.random.default_rng(1)
    scatter = [
        square_root(0.05, 16, batch) * rng.standard_normal((20_000, batch)).mean(axis=1).std() for batch in (16, 64)
    ]
    assert scatter[0] == pytest.approx(scatter[1], rel=0.03)


@pytest.mark.parametrize("new_batch", [4, 50, 3000])
def test_saturating_follows_the_best_step_of_a_noisy_quadratic(new_batch):
    rng = np.random.default_rng(2)
    curvature, gradient, covariance = (rng.random(5) + 0.1 for _ in range(3))  # diagonal H and Σ
    noise_scale = (curvature * covariance).sum() / (curvature * gradient**2).sum()
    rates = np.geomspace(1e-3, 100, 20_001)

    def best(batch):
        expected = -rates * (gradient**2).sum() + rates**2 / 2 * (curvature * (gradient**2 + covariance / batch)).sum()
        return rates[expected.argmin()]

    assert saturating(best(50), 50, new_batch, noise_scale) == pytest.approx(best(new_batch), rel=2e-3)


def test_saturating_is_linear_far_below_the_noise_scale_and_flat_far_above():
    assert saturating(0.1, 1, 2, 1e9) == pytest.approx(0.2)
    assert saturating(0.1, 1e9, 2e9, 1.0) == pytest.approx(0.1)


def test_adam_square_root_keeps_memories_in_examples_and_can_be_undone():
    there = adam_square_root(1e-3, 0.9, 0.99, 1e-8, 64, 256)
    assert 256 / (1 - there.beta1) == pytest.approx(64 / (1 - 0.9))
    assert 256 / (1 - there.beta2) == pytest.approx(64 / (1 - 0.99))
    assert adam_square_root(*there, 256, 64) == pytest.approx((1e-3, 0.9, 0.99, 1e-8))


@pytest.mark.parametrize("beta1, beta2", [(0.9, 0.999), (0.99, 0.96)])
def test_adam_square_root_refuses_a_beta_below_zero(beta1, beta2):
    with pytest.raises(ValueError, match="betas"):
        adam_square_root(1e-3, beta1, beta2, 1e-8, 1, 32)


@pytest.mark.parametrize("bad", [0, -1, np.array([1, 0])])
def test_what_is_not_positive_is_named(bad):
    for rule in (linear, square_root):
        with pytest.raises(ValueError, match="new_batch must be positive"):
            rule(0.1, 64, bad)
    with pytest.raises(ValueError, match="noise_scale must be positive"):
        saturating(0.1, 64, 128, bad)
    with pytest.raises(ValueError, match="epsilon must be positive"):
        adam_square_root(1e-3, 0.9, 0.999, bad, 64, 128)
