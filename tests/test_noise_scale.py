"""The noise scale: exact values, unbiased parts, honest uncertainty."""

import math

import numpy as np
import pytest

from largebatch.logistic import draw
from largebatch.noise_scale import MIN_STEPS, NoiseScale, exact, figures, predicted_law, two_batch

TRUE_SCALE = 5808
VARIANCES = np.arange(1, 401) ** -0.7
VARIANCES *= TRUE_SCALE / VARIANCES.sum()
GRADIENT = np.full(400, 0.05)  # of norm 1


def parts_of_a_step(rng, batch, pieces=8):
    """Return the two-batch estimates of one step whose batch is computed in equal pieces."""
    noise = rng.standard_normal((pieces, 400)) * np.sqrt(VARIANCES * pieces / batch)
    gradients = GRADIENT + noise
    small, big = (gradients**2).sum(axis=1).mean(), (gradients.mean(axis=0) ** 2).sum()
    return two_batch(small, big, batch // pieces, batch)


def averaged(rng, batch, num_steps, memory=None):
    scale = NoiseScale(memory)
    for _ in range(num_steps):
        scale.add(*parts_of_a_step(rng, batch))
    return scale


def test_exact_equals_the_covariance_of_the_gradients_of_single_examples():
    problem = draw(np.random.default_rng(0), np.array([1.0, 0.5, 2.0]), 50)
    for weights in (np.zeros(3), np.array([0.3, -1.0, 2.0])):
        wrong = problem.wrong(weights)
        gradients = -wrong[:, None] * problem.turned
        trace, squared_norm = exact(problem.turned, wrong)
        assert np.isclose(trace, np.cov(gradients.T, bias=True).trace())
        assert np.isclose(squared_norm, (gradients.mean(axis=0) ** 2).sum())
    assert np.allclose(problem.noise(weights), (trace, squared_norm))


def test_exact_takes_many_runs_at_once():
    rng = np.random.default_rng(1)
    features, residuals = rng.standard_normal((20, 3)), rng.standard_normal((20, 5))
    together = exact(features, residuals)
    for run in range(5):
        assert np.allclose([part[run] for part in together], exact(features, residuals[:, run]))


def test_two_batch_by_hand():
    # b = 16, R = 16: mean |g_b|² = 0.05 and |ḡ|² = 0.0125 give 0.64 and 0.01.
    assert np.allclose(two_batch(0.05, 0.0125, 16, 256), (0.64, 0.01))


def test_two_batch_is_the_bessel_form_over_pieces():
    gradients = np.random.default_rng(2).standard_normal((5, 7)) + 0.3
    mean = gradients.mean(axis=0)
    trace, squared_norm = two_batch((gradients**2).sum(axis=1).mean(), (mean**2).sum(), 4, 20)
    assert np.isclose(trace, 4 * ((gradients - mean) ** 2).sum() / (5 - 1))
    dots = gradients @ gradients.T
    assert np.isclose(squared_norm, (dots.sum() - dots.trace()) / (5 * 4))


def test_two_batch_is_unbiased_and_its_ratio_is_not():
    rng = np.random.default_rng(3)
    traces, squared_norms = np.transpose([parts_of_a_step(rng, 128) for _ in range(4000)])
    for values, truth in ((traces, TRUE_SCALE), (squared_norms, 1.0)):
        assert abs(values.mean() - truth) < 4 * values.std() / math.sqrt(len(values))
    assert 0.3 < (squared_norms < 0).mean() < 0.5  # at a batch of 128, two of five single estimates are negative


def test_averaged_parts_recover_a_noise_scale_of_several_thousand_and_the_ratio_of_each_step_does_not():
    rng = np.random.default_rng(4)
    scale, ratios = NoiseScale(), []
    for _ in range(400):
        trace, squared_norm = parts_of_a_step(rng, 512)
        scale.add(trace, squared_norm)
        ratios.append(trace / squared_norm)
    assert abs(scale.value / TRUE_SCALE - 1) < 0.1
    assert abs(np.mean(ratios) / TRUE_SCALE - 1) > 0.3
    # The plug-in, which divides by |ḡ|² as it is, cannot say more than the batch of 512.
    assert scale.trace / (scale.squared_norm + scale.trace / 512) < 512


@pytest.mark.parametrize(("batch", "num_steps"), [(128, 60), (128, 400), (2048, 10), (2048, 40)])
def test_intervals_hold_the_truth_nineteen_times_in_twenty(batch, num_steps):
    rng = np.random.default_rng([5, batch, num_steps])
    inside = 0
    for _ in range(60):
        low, high = averaged(rng, batch, num_steps).interval
        inside += low <= TRUE_SCALE <= high
    assert inside >= 52


def test_standard_error_is_the_spread_of_repetitions():
    rng = np.random.default_rng(6)
    scales = [averaged(rng, 2048, 60) for _ in range(80)]
    spread = np.std([scale.value for scale in scales])
    assert 0.75 < np.mean([scale.standard_error for scale in scales]) / spread < 1.3


@pytest.mark.parametrize("memory", [None, 20])
def test_covariance_is_the_weighted_one_over_the_number_of_steps(memory):
    estimates = np.random.default_rng(9).standard_normal((50, 2)) @ [[2.0, 0.5], [0.0, 1.0]]
    scale = NoiseScale(memory)
    for parts in estimates:
        scale.add(*parts)
    weights = (1.0 if memory is None else 1 - 1 / memory) ** np.arange(49, -1, -1)
    num_steps = weights.sum() ** 2 / (weights**2).sum()
    assert np.isclose(scale.num_steps, num_steps)
    # Reliability weights: NumPy's own correction for the mean that was estimated.
    assert np.allclose(scale.covariance, np.cov(estimates.T, aweights=weights) / num_steps)


@pytest.mark.parametrize(
    ("trace", "squared_norm"),
    [(30.0, 4.0), (1.0, 4.0), (30.0, 0.5), (30.0, 0.0), (30.0, -3.0), (1.0, 0.5), (-8.0, 4.0)],
)
def test_interval_holds_the_ratios_that_are_less_than_two_standard_errors_off(trace, squared_norm):
    estimates = np.random.default_rng(10).standard_normal((20, 2)) @ [[10.0, 0.5], [0.0, 2.0]]
    estimates += [trace, squared_norm] - estimates.mean(axis=0)
    scale = NoiseScale()
    for parts in estimates:
        scale.add(*parts)
    ratios = np.linspace(0, 400, 400_001)
    (of_trace, of_both), (_, of_norm) = scale.covariance
    variances = of_trace - 2 * ratios * of_both + ratios**2 * of_norm
    inside = (trace - ratios * max(squared_norm, 0.0)) ** 2 <= 4 * variances
    low, high = scale.interval
    if scale.resolved:
        wanted = (ratios[inside].min(), ratios[inside].max()) if inside.any() else (0, 0)
        assert np.allclose((low, high), wanted, atol=2e-3)
    else:
        assert high == math.inf
        outside = ratios[~inside]
        assert low == pytest.approx(outside.max() if outside.size else 0, abs=2e-3)


def test_what_is_not_resolved_is_not_called_a_number():
    scale = averaged(np.random.default_rng(7), 128, 12)
    assert not scale.resolved
    assert math.isnan(scale.value) and math.isnan(scale.standard_error)
    low, high = scale.interval
    assert 0 < low < TRUE_SCALE and high == math.inf
    assert "not resolved after 12 steps" in str(scale)
    pure_noise = NoiseScale()
    rng = np.random.default_rng(8)
    for _ in range(50):
        g = rng.standard_normal((4, 100))
        pure_noise.add(*two_batch((g**2).sum(axis=1).mean(), (g.mean(axis=0) ** 2).sum(), 1, 4))
    assert not pure_noise.resolved


def test_the_interval_is_never_negative():
    for squared_norms in ([-3.0, -2.0] * 10, [-1.0] * 20, [0.0] * 20, [-3.0, 2.9] * 10):
        scale = NoiseScale()
        for step, squared_norm in enumerate(squared_norms):
            scale.add(10 + step % 3, squared_norm)
        low, high = scale.interval
        assert low >= 0 and high == math.inf and not scale.resolved
        assert "at least" in str(scale)


@pytest.mark.parametrize("num_steps", [0, 1, MIN_STEPS - 1])
def test_few_steps_say_nothing(num_steps):
    scale = NoiseScale()
    for _ in range(num_steps):
        scale.add(10.0, 1.0)
    assert not scale.resolved and math.isnan(scale.value) and math.isnan(scale.interval[0])
    assert f"{num_steps} steps" in str(scale)


def test_steps_that_all_agree_need_no_spread():
    scale = NoiseScale()
    for _ in range(MIN_STEPS):
        scale.add(640.0, 10.0)
    assert scale.resolved and scale.value == 64 and scale.standard_error == 0
    assert np.allclose(scale.interval, 64)


def test_memory_forgets():
    scale, all_steps = NoiseScale(memory=10), NoiseScale()
    for trace in [1.0] * 100 + [5.0] * 60:
        scale.add(trace, 1.0)
        all_steps.add(trace, 1.0)
    assert abs(scale.trace - 5) < 0.02 and abs(all_steps.trace - 2.5) < 1e-9
    assert abs(scale.num_steps - 19) < 0.1 and all_steps.num_steps == 160


def test_a_step_that_overflowed_is_left_out_and_counted():
    scale = NoiseScale()
    for trace, squared_norm in ((640.0, 10.0), (math.inf, 1.0), (1.0, math.nan)):
        scale.add(trace, squared_norm)
    assert (scale.trace, scale.squared_norm, scale.num_steps, scale.num_skipped) == (640, 10, 1, 2)


@pytest.mark.parametrize("batches", [(8, 8), (16, 8), (0, 8), (-1, 8), (8, math.inf), (math.nan, 8)])
def test_two_batch_needs_two_batch_sizes_in_order(batches):
    with pytest.raises(ValueError, match="two different batch sizes"):
        two_batch(1.0, 0.5, *batches)


@pytest.mark.parametrize("memory", [0, 1, -3, MIN_STEPS - 1, math.nan])
def test_memory_is_a_number_of_steps(memory):
    with pytest.raises(ValueError, match="memory"):
        NoiseScale(memory)


def test_predicted_law_of_a_constant_noise_scale_is_the_law_through_the_run():
    s_min, e_min = predicted_law(np.full(100, 30.0), np.full(100, 0.1), 100)
    assert np.isclose(e_min / s_min, 300)
    assert np.isclose(s_min + e_min / 100, 100)


def test_predicted_law_weights_the_noise_scales_by_steps_without_noise():
    # 40 steps at a noise scale of 32, half of them useful, then 60 at 64, a third of them: 20 + 20 steps without noise.
    s_min, e_min = predicted_law([32.0] * 40 + [64.0] * 60, [1.0] * 100, 32)
    assert np.isclose(s_min, 40) and np.isclose(e_min, 20 * 32 + 20 * 64)


@pytest.mark.parametrize("parts", [([1.0, 2.0], [1.0]), ([1.0], [-1.0]), ([[1.0]], [[1.0]]), ([], []), ([0.0], [0.0])])
def test_predicted_law_refuses_what_it_cannot_use(parts):
    with pytest.raises(ValueError, match="for each step"):
        predicted_law(*parts, 32)


@pytest.mark.parametrize("run_batch", [0, -32, math.nan])
def test_predicted_law_needs_a_batch(run_batch):
    with pytest.raises(ValueError, match="run_batch"):
        predicted_law([1.0], [1.0], run_batch)


def test_three_figures_without_an_exponent():
    assert " ".join(map(figures, (5808.4, 999.6, 250.4, 58.08, 0.01234))) == "5,810 1,000 250 58.1 0.0123"
