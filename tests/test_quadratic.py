"""The noisy quadratic model against its own recursions, against simulated runs, and against a search that tries everything."""

import numpy as np
import pytest

from largebatch.descent import crossing
from largebatch.knee import fit
from largebatch.quadratic import MAX_STEPS, Spectrum, expected_loss, knee, largest_stable_rate, power_law

pytestmark = pytest.mark.filterwarnings("error")

SGD, MOMENTUM, PRECONDITIONED = {}, {"momentum": 0.9}, {"power": 0.5}
BOTH = MOMENTUM | PRECONDITIONED
BATCHES = 2.0 ** np.arange(16)
UNEVEN = Spectrum([1.0, 0.5, 0.1, 0.003], [0.2, 1.0, 0.0, 3.0], [1.0, 0.0, 4.0, 2.0], [1, 2, 1, 5])


# -- the expected loss -----------------------------------------------------------------------------------------------------------


def step_by_step(spectrum, rates, steps, momentum=0.0, power=0.0):
    """Return the two parts of the loss by the recursion of second moments, P ← A P Aᵀ + noise, one mode and rate at a time."""
    parts = np.zeros((2, len(rates), len(steps)))
    for row, rate in enumerate(rates):
        for h, c, m, count in zip(*vars(spectrum).values(), strict=True):
            scale = h**-power
            update = np.array([[1 - rate * scale * h, -rate * momentum], [scale * h, momentum]])  # of (θ, v)
            push = np.array([-rate, 1.0])
            start, noise = np.diag([m, 0.0]), np.zeros((2, 2))
            for step in range(max(steps) + 1):
                for column in np.flatnonzero(np.equal(steps, step)):
                    parts[:, row, column] += count * h / 2 * np.array([start[0, 0], noise[0, 0]])
                start = update @ start @ update.T
                noise = update @ noise @ update.T + c * scale**2 * np.outer(push, push)
    return parts


def double_root(momentum: float) -> float:
    """Return the rate at which the two roots of the stiffest mode (h = 1) are one."""
    return (1 - momentum**0.5) ** 2


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("momentum", [0.0, 0.5, 0.9, 0.99])
def test_closed_form_equals_the_recursion_step_by_step(momentum, power):
    limit = largest_stable_rate(UNEVEN, momentum, power)
    rates = [1e-6 * limit, 0.02 * limit, double_root(momentum), 0.4 * limit, limit / 2, 0.95 * limit, 0.999 * limit]
    steps = [5, 0, 1, 2, 3, 400, 64, 65, 5]  # in any order, and one of them twice
    expected = step_by_step(UNEVEN, rates, steps, momentum, power)
    got = expected_loss(UNEVEN, rates, steps, momentum, power)
    for part, right in zip(got, expected, strict=True):
        assert part.shape == (len(rates), len(steps))
        np.testing.assert_allclose(part, right, rtol=1e-9, atol=1e-9 * UNEVEN.initial_loss)
    assert got[0][0, 1] == pytest.approx(UNEVEN.initial_loss) and got[1][0, 1] == 0


def test_a_million_steps_end_at_the_floor_of_the_noise():
    rate, momentum = 0.3, 0.9
    h, c, count = UNEVEN.curvature, UNEVEN.noise, UNEVEN.count
    # The stationary second moment of heavy ball, from its 2 × 2 equation P = A P Aᵀ + noise.
    floor = count * rate * c * (1 + momentum) / (2 * (1 - momentum) * (2 * (1 + momentum) - rate * h))
    without_noise, from_noise = expected_loss(UNEVEN, rate, MAX_STEPS, momentum)
    assert from_noise[0, 0] == pytest.approx(floor.sum(), rel=1e-9) and without_noise[0, 0] < 1e-9


@pytest.mark.parametrize(
    ("rate", "momentum", "power"),
    [
        (0.5, 0.0, 0.0),
        (0.3, 0.9, 0.0),  # complex roots
        (0.02, 0.5, 0.0),  # real roots
        (double_root(0.9), 0.9, 0.0),
        (0.4, 0.0, 0.5),
        (0.2, 0.9, 0.5),
    ],
)
def test_simulated_runs_agree_within_their_error(rate, momentum, power):
    spectrum, batch_size, num_runs = power_law(num_modes=20, bins=None), 4, 20_000
    rng = np.random.default_rng(0)
    weights = rng.standard_normal((num_runs, 20)) * spectrum.start**0.5
    velocity = np.zeros_like(weights)
    for step in range(1, 61):
        gradient = spectrum.curvature * weights
        gradient += (spectrum.noise / batch_size) ** 0.5 * rng.standard_normal(weights.shape)
        velocity = momentum * velocity + spectrum.curvature**-power * gradient
        weights = weights - rate * velocity
        if step in (1, 7, 60):
            losses = (spectrum.curvature * weights**2).sum(axis=1) / 2
            without_noise, from_noise = expected_loss(spectrum, rate, step, momentum, power)
            expected = without_noise.item() + from_noise.item() / batch_size
            assert abs(losses.mean() - expected) < 4 * losses.std() / num_runs**0.5


def test_equal_modes_may_be_counted():
    counted = Spectrum([1.0, 0.1], [1.0, 0.2], [1.0, 1.0], [2, 3])
    written = Spectrum([1.0, 0.1, 0.1, 1.0, 0.1], [1.0, 0.2, 0.2, 1.0, 0.2], np.ones(5), np.ones(5))
    for one, other in zip(*(expected_loss(s, [0.1, 1], [0, 3, 50], **BOTH) for s in (counted, written)), strict=True):
        np.testing.assert_allclose(one, other)


def test_many_rates_at_once_equal_each_by_itself():
    spectrum, rates, steps = power_law(bins=None), np.geomspace(1e-4, 3, 7), np.arange(0, 3000, 7)
    together = expected_loss(spectrum, rates, steps, 0.9)
    alone = [expected_loss(spectrum, rate, steps, 0.9) for rate in rates]
    np.testing.assert_allclose(together, np.concatenate(alone, axis=1))


@pytest.mark.parametrize("optimizer", [SGD, MOMENTUM, PRECONDITIONED, BOTH])
def test_the_loss_shrinks_below_the_largest_stable_rate_and_grows_above(optimizer):
    limit = largest_stable_rate(UNEVEN, **optimizer)
    early, late = expected_loss(UNEVEN, 0.999 * limit, [1000, 5000], **optimizer)[0][0]
    assert late < early
    early, late = step_by_step(UNEVEN, [1.001 * limit], [1000, 5000], **optimizer)[0][0]
    assert late > 10 * early


# -- spectra ---------------------------------------------------------------------------------------------------------------------


def test_a_power_law():
    spectrum = power_law(2.0, 4, bins=None)
    np.testing.assert_allclose(spectrum.curvature, [1, 1 / 4, 1 / 9, 1 / 16])
    np.testing.assert_allclose(spectrum.noise, spectrum.curvature)
    assert spectrum.initial_loss == pytest.approx((1 + 1 / 4 + 1 / 9 + 1 / 16) / 2)


@pytest.mark.parametrize(
    ("exponent", "num_modes", "bins"), [(1.0, 1000, 24), (0.0, 7, 3), (2.0, 10_000, 30), (1.0, 1, 24)]
)
def test_bins_keep_the_number_of_modes_and_the_initial_loss(exponent, num_modes, bins):
    binned, full = power_law(exponent, num_modes, bins), power_law(exponent, num_modes, bins=None)
    assert len(binned.count) <= bins and binned.count.sum() == len(full.count) == num_modes
    assert binned.initial_loss == pytest.approx(full.initial_loss)


# -- the knee --------------------------------------------------------------------------------------------------------------------


def searched(spectrum, target, momentum=0.0, power=0.0, num_steps=2000, num_rates=800):
    """Return the steps of every batch size by trying many rates at every single step, with the recursion of SGD or heavy ball.

    Without noise a mode is followed by itself, with noise by the second moments (θθ, θv, vv) that it alone causes.
    """
    limit = largest_stable_rate(spectrum, momentum, power)
    odds = np.linspace(-12, 7, num_rates)[:, None]
    rate, scale = limit / (1 + np.exp(-odds)), spectrum.curvature**-power
    h, c = scale * spectrum.curvature, scale**2 * spectrum.noise
    theta, v = np.ones((num_rates, len(h))), np.zeros((num_rates, len(h)))
    pp, pv, vv = np.zeros((3, num_rates, len(h)))
    weight = spectrum.count * spectrum.curvature / 2
    start, noise = np.empty((2, num_steps, num_rates))
    for step in range(num_steps):
        start[step], noise[step] = theta**2 @ (weight * spectrum.start), pp @ weight
        v = momentum * v + h * theta
        theta = theta - rate * v
        # v ← momentum v + h θ + noise, then θ ← θ - rate v
        pv, vv = momentum * pv + h * pp, momentum**2 * vv + 2 * momentum * h * pv + h**2 * pp + c
        pp, pv = pp - 2 * rate * pv + rate**2 * vv, pv - rate * vv
    to_come = np.maximum.accumulate(start[::-1])[::-1]
    goal = target * spectrum.initial_loss
    return np.array([crossing(np.arange(num_steps), to_come + noise / B, goal).min() for B in BATCHES])


@pytest.mark.parametrize("target", [0.1, 0.03])
@pytest.mark.parametrize("optimizer", [SGD, MOMENTUM, PRECONDITIONED, BOTH, {"momentum": 0.98}])
def test_the_knee_equals_a_search_that_tries_everything(optimizer, target):
    spectrum = power_law(num_modes=20, bins=None)
    best = searched(spectrum, target, **optimizer)
    steps, _ = knee(spectrum, BATCHES, target, **optimizer)
    swinging = ("momentum" in optimizer) & (best < 3 * best.min())
    assert (np.abs(steps / best - 1) < np.where(swinging, 0.05, 0.01)).all(), steps / best


@pytest.mark.parametrize("optimizer", [SGD, MOMENTUM, PRECONDITIONED, BOTH])
def test_steps_are_those_of_the_rate_that_is_returned(optimizer):
    spectrum, all_steps = power_law(num_modes=50), np.arange(20_000)
    steps, rates = knee(spectrum, BATCHES, 0.05, **optimizer)
    without_noise, from_noise = expected_loss(spectrum, rates, all_steps, **optimizer)
    to_come = np.maximum.accumulate(without_noise[:, ::-1], axis=1)[:, ::-1]
    losses = to_come + from_noise / BATCHES[:, None]
    np.testing.assert_allclose(crossing(all_steps, losses.T, 0.05 * spectrum.initial_loss), steps, rtol=0.01)
    assert (np.diff(steps) <= 0).all(), "a larger batch never needs more steps"


def test_bins_hardly_move_the_knee():
    binned, full = (knee(power_law(num_modes=300, bins=bins), BATCHES, 0.03)[0] for bins in (24, None))
    np.testing.assert_allclose(binned, full, rtol=0.01)


def test_the_unit_of_curvature_does_not_matter():
    spectrum = power_law(num_modes=30)
    h, c, m, count = vars(spectrum).values()
    stretched = Spectrum(
        100 * h, 100 * c, m, count
    )  # the noise of 100 times the loss is 100² c, so this is 1/100 of the noise
    steps, rates = knee(spectrum, [8, 64], 0.1, **MOMENTUM)
    other_steps, other_rates = knee(stretched, [0.08, 0.64], 0.1, **MOMENTUM)
    np.testing.assert_allclose(other_steps, steps, rtol=1e-6)
    np.testing.assert_allclose(other_rates, rates / 100, rtol=1e-6)


def test_the_knee_does_not_depend_on_which_other_batches_are_asked_for():
    spectrum = power_law()
    together = knee(spectrum, BATCHES, 0.03)[0]
    alone = [knee(spectrum, batch_size, 0.03)[0][0] for batch_size in BATCHES]
    np.testing.assert_allclose(together, alone, rtol=2e-3)


def test_a_target_out_of_reach_is_infinitely_far():
    steps, rates = knee(power_law(2.0, 10_000), [1e-3, 1e9], 1e-4)
    assert np.isinf(steps).all() and np.isnan(rates).all()
    steps, rates = knee(power_law(), [1e-4, 1e3], 0.1)
    assert np.isinf(steps[0]) and np.isnan(rates[0]) and steps[1] < 200
    assert 1e5 < knee(power_law(1.5), 1, 0.01)[0][0] < MAX_STEPS


def test_the_smallest_rates_are_tried_that_can_arrive_in_time():
    spectrum, batch_size = Spectrum([1.0], [1.0], [1.0], [1]), 2e-5
    (plain,), (heavy,) = (knee(spectrum, batch_size, 0.1, momentum)[0] for momentum in (0.0, 0.99))
    assert 5e5 < plain < MAX_STEPS and heavy == pytest.approx(plain, rel=0.01)


def test_an_easy_target_takes_less_than_a_step():
    steps, rates = knee(power_law(), [64, 4096], 0.99)
    assert (steps > 0).all() and (steps < 1).all() and np.isfinite(rates).all()
    assert knee(Spectrum([1.0], [0.0], [1.0], [1]), 1, 0.5)[0] < 1, (
        "without noise one step of rate 1 ends at the optimum"
    )


# -- what Zhang et al. (2019) found ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def laws() -> dict[str, np.ndarray]:
    """Return S_min, E_min and B_crit of each optimizer, and the steps with a batch of 8."""
    found = {}
    optimizers = {"SGD": SGD, "momentum": MOMENTUM, "preconditioned": PRECONDITIONED}
    for name, optimizer in optimizers.items():
        steps, rates = knee(power_law(), BATCHES, 0.03, **optimizer)
        s_min, b_crit = fit(BATCHES, steps)
        found[name] = {"s_min": s_min, "e_min": s_min * b_crit, "b_crit": b_crit, "steps": steps[3], "rate": rates[3]}
    return found


def test_momentum_changes_nothing_for_small_batches_and_allows_fewer_steps_for_large_ones(laws):
    sgd, momentum = laws["SGD"], laws["momentum"]
    assert momentum["steps"] == pytest.approx(sgd["steps"], rel=0.05)
    assert momentum["rate"] / (1 - 0.9) == pytest.approx(sgd["rate"], rel=0.1)
    assert momentum["e_min"] == pytest.approx(sgd["e_min"], rel=0.1)
    assert momentum["s_min"] < sgd["s_min"] / 5 and momentum["b_crit"] > 5 * sgd["b_crit"]


def test_preconditioning_needs_fewer_steps_and_fewer_examples(laws):
    sgd, preconditioned = laws["SGD"], laws["preconditioned"]
    assert preconditioned["s_min"] < sgd["s_min"] / 5 and preconditioned["e_min"] < sgd["e_min"] / 2


def test_much_momentum_hurts_where_few_steps_would_do():
    spectrum = power_law(0.5, 100)
    plain, heavy = (knee(spectrum, 1e5, 0.03, momentum)[0][0] for momentum in (0.0, 0.9))
    assert plain < 2 / (1 - 0.9) < heavy * 1.5 and heavy > 3 * plain


# -- bad input -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Spectrum([1.0, 0.0], [1, 1], [1, 1], [1, 1]), "positive"),
        (lambda: Spectrum([1.0, -1.0], [1, 1], [1, 1], [1, 1]), "curvature must hold"),
        (lambda: Spectrum([1.0, 2.0], [1], [1, 1], [1, 1]), "noise must hold"),
        (lambda: Spectrum([1.0, 2.0], [1, np.nan], [1, 1], [1, 1]), "noise must hold"),
        (lambda: Spectrum([1.0], [1], [1], [0]), "count must be positive"),
        (lambda: Spectrum([1.0], [1], [0], [1]), "start away from 0"),
        (lambda: Spectrum([], [], [], []), "start away from 0"),
        (lambda: Spectrum(1.0, 1.0, 1.0, 1.0), "for each mode"),
        (lambda: power_law(-1), "exponent"),
        (lambda: power_law(np.nan), "exponent"),
        (lambda: power_law(num_modes=0), "num_modes"),
        (lambda: power_law(num_modes=1.5), "num_modes"),
        (lambda: power_law(bins=0), "bins"),
        (lambda: largest_stable_rate(power_law(), 1.0), "momentum"),
        (lambda: largest_stable_rate(power_law(), -0.1), "momentum"),
        (lambda: largest_stable_rate(power_law(), np.nan), "momentum"),
        (lambda: largest_stable_rate(power_law(), 0, 1.1), "power"),
        (lambda: expected_loss(power_law(), 2.0, 1), "below 2"),
        (lambda: expected_loss(power_law(), [0.1, 0.0], 1), "rates must be positive"),
        (lambda: expected_loss(power_law(), [0.1, np.nan], 1), "rates must be positive"),
        (lambda: expected_loss(power_law(), [], 1), "rates must be positive"),
        (lambda: expected_loss(power_law(), 0.1, 1.5), "whole numbers"),
        (lambda: expected_loss(power_law(), 0.1, -1), "whole numbers"),
        (lambda: expected_loss(power_law(), 0.1, np.inf), "whole numbers"),
        (lambda: expected_loss(power_law(), 0.1, []), "whole numbers"),
        (lambda: knee(power_law(), 0, 0.1), "batch sizes"),
        (lambda: knee(power_law(), [1, np.inf], 0.1), "batch sizes"),
        (lambda: knee(power_law(), [], 0.1), "batch sizes"),
        (lambda: knee(power_law(), 1, 0), "between 0 and 1"),
        (lambda: knee(power_law(), 1, 1), "between 0 and 1"),
        (lambda: knee(power_law(), 1, np.nan), "between 0 and 1"),
        (lambda: knee(power_law(), 1, 0.1, momentum=1), "momentum"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_with_a_reason(call, message):
    with pytest.raises(ValueError, match=message):
        call()
