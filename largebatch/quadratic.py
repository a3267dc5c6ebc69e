"""The noisy quadratic model: the exact expected loss of SGD, momentum and preconditioning, for all batch sizes and learning rates at once.

Model (Zhang et al. 2019, arXiv 1907.04164): the loss is Σ count · h θ² / 2 over independent modes, and the gradient of a batch of B
examples is h θ plus noise of variance c / B. Heavy ball: v ← momentum · v + gradient, θ ← θ - rate · v. A preconditioner h^-power
multiplies the gradient, noise included, so a mode behaves as if it had curvature h^(1 - power) and noise c h^(-2 power).

Solution: one gradient of size 1 pushes θ by -rate · g(1), -rate · g(2), … after 1, 2, … steps, where
g(0) = 0, g(1) = 1, g(t+1) = s g(t) - momentum · g(t-1), s = 1 + momentum - x, x = rate · h. With g = g(t) and g' = g(t+1):

* without noise, θ(t) = (g' - momentum · g) θ(0);
* the noise of t steps adds the variance rate² c / B · Σ g(k)² over k = 1 … t, and that sum is
  (1 + momentum) / ((1 - momentum) x (2 (1 + momentum) - x)) · (1 - g'² + 2 s momentum / (1 + momentum) g g' - momentum² g²).

With momentum 0 they are the formulas of SGD. So E L = without_noise + from_noise / B, and one table serves all batch sizes. The pair of time 2t follows
from that of time t as Fibonacci numbers do, g(2t) = g (2 g' - s g) and g(2t+1) = g'² - momentum · g², so no powers, no complex roots
and no double root need to be told apart. Relative to the initial loss, rounding adds less than 1e-9 as long as a rate is not within 1e-6 of the stable limit.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from largebatch.descent import crossing

MAX_STEPS = 10**6  # where the search for a knee gives up
TIMES = np.array([*range(64), *(m * 2**k for k in range(20) for m in range(64, 128, 4))])
TIMES = TIMES[TIMES <= MAX_STEPS]
LOWEST, HIGHEST, COARSE, FINE, ROUNDS = 1e-7, 7.0, 64, 7, 2


@dataclass(frozen=True)
class Spectrum:
    """The modes of a quadratic loss; all arrays have the shape (modes,).

    curvature : h, second derivative of the loss
    noise     : c, variance of the gradient of one example
    start     : m, E θ(0)²
    count     : how many equal modes this one stands for
    """

    curvature: np.ndarray
    noise: np.ndarray
    start: np.ndarray
    count: np.ndarray

    def __post_init__(self):
        for name, values in vars(self).items():
            values = np.asarray(values, float)
            object.__setattr__(self, name, values)
            if values.ndim != 1 or values.shape != self.curvature.shape or values.size == 0:
                raise ValueError(f"{name} must be a list of numbers, as many as curvature, not of shape {values.shape}")
            lowest = values > 0 if name in ("curvature", "count") else values >= 0
            if not (lowest & np.isfinite(values)).all():
                raise ValueError(
                    f"every {name} must be finite and {'positive' if name in ('curvature', 'count') else '0 or more'}, not {values}"
                )
        if not self.initial_loss > 0:
            raise ValueError("some mode must start away from 0, or there is nothing to learn")

    @property
    def initial_loss(self) -> float:
        """Expected loss before the first step."""
        return float((self.count * self.curvature * self.start).sum() / 2)


def power_law(exponent: float = 1.0, num_modes: int = 1000, bins: int | None = 24) -> Spectrum:
    """Return curvatures 1, 2^-exponent, 3^-exponent, … with noise as large as curvature, each mode starting at E θ² = 1 (Zhang et al. 2019).

    bins : neighbouring modes share their mean curvature, so that about as many are left, evenly spaced in log curvature; None: none do
    """
    if not 0 <= exponent < np.inf:
        raise ValueError(f"exponent must be finite and 0 or more, not {exponent}")
    if num_modes != int(num_modes) or num_modes < 1 or (bins is not None and bins < 1):
        raise ValueError(f"num_modes and bins must be at least 1, and num_modes whole, not {num_modes} and {bins}")
    curvature = np.arange(1, num_modes + 1) ** -float(exponent)
    groups = num_modes if bins is None else min(bins, num_modes)
    edges = np.unique(np.geomspace(1, num_modes + 1, groups + 1).round().astype(int)) - 1
    if bins is None:
        edges = np.arange(num_modes + 1)
    count = np.diff(edges)
    means = np.add.reduceat(curvature, edges[:-1]) / count
    return Spectrum(means, means, np.ones(len(count)), count)


def largest_stable_rate(spectrum: Spectrum, momentum: float = 0.0, power: float = 0.0) -> float:
    """Return the rate at which the stiffest mode stops to shrink, 2 (1 + momentum) / max h^(1 - power)."""
    check_optimizer(momentum, power)
    return float(2 * (1 + momentum) / (spectrum.curvature ** (1 - power)).max())


def expected_loss(
    spectrum: Spectrum, rates, steps, momentum: float = 0.0, power: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Return (without_noise, from_noise), each of shape (rates, steps): the expected loss of batch size B is without_noise + from_noise / B.

    rates : learning rates below the largest stable one, shape (rates,); steps: whole numbers from 0 on, in any order, shape (steps,)
    """
    limit = largest_stable_rate(spectrum, momentum, power)
    rates, steps = np.atleast_1d(np.asarray(rates, float)), np.atleast_1d(steps)
    if rates.ndim != 1 or not ((rates > 0) & (rates < limit)).all():
        raise ValueError(f"rates must be positive and below {limit:.6g}, the largest stable one, not {rates}")
    if steps.ndim != 1 or not (np.isfinite(steps) & (steps >= 0) & (steps == np.round(steps))).all():
        raise ValueError(f"steps must be whole numbers, 0 or more, not {steps}")
    steps = [int(step) for step in steps]
    push = rates[:, None] * spectrum.curvature ** (1 - power)  # x, shape (rates, modes)
    total = 1 + momentum
    trace = total - push  # s
    weight = spectrum.count * spectrum.curvature / 2
    noise = spectrum.noise * spectrum.curvature ** (-2 * power)
    floor = weight * noise * rates[:, None] ** 2 * total / ((1 - momentum) * push * (2 * total - push))
    cross = 2 * momentum / total * trace
    table = {}
    for step, now, after in responses(trace, momentum, steps):
        without_noise = (after - momentum * now) ** 2 @ (weight * spectrum.start)
        left = after * after - cross * now * after + momentum**2 * now * now
        table[step] = without_noise, np.einsum("rm,rm->r", floor, 1 - left)
    without_noise, from_noise = np.transpose([table[step] for step in steps], (1, 2, 0))
    return without_noise, from_noise


def responses(trace: np.ndarray, momentum: float, steps: Iterable[int]):
    """Yield (t, g(t), g(t+1)) for all these steps t, and for their halves, quarters, … from which they are made.

    trace : s = 1 + momentum - rate · curvature, any shape
    """
    pairs = {0: (np.zeros_like(trace), np.ones_like(trace))}
    yield 0, *pairs[0]
    needed = {step >> halvings for step in steps for halvings in range(step.bit_length())}
    for step in sorted(needed):
        now, after = pairs[step // 2]
        now, after = now * (2 * after - trace * now), after * after - momentum * now * now
        if step % 2:
            now, after = after, trace * after - momentum * now
        pairs[step] = now, after
        yield step, now, after


def knee(
    spectrum: Spectrum, batch_sizes, target: float, momentum: float = 0.0, power: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Return steps and best constant rate for each batch size, both of shape (batch sizes,).

    target : share of the initial loss. Steps are where the expected loss first falls to it, interpolated between whole steps (in log loss);
             inf, and rate nan, where MAX_STEPS do not suffice.
    """
    batch_sizes = np.atleast_1d(np.asarray(batch_sizes, float))
    if batch_sizes.ndim != 1 or not ((batch_sizes > 0) & np.isfinite(batch_sizes)).all():
        raise ValueError(f"batch sizes must be finite and positive, not {batch_sizes}")
    if not 0 < target < 1:
        raise ValueError(f"a target is a share of the initial loss, between 0 and 1, not {target}")
    limit = largest_stable_rate(spectrum, momentum, power)

    def steps_with(odds: np.ndarray) -> np.ndarray:
        rates = limit / (1 + np.exp(-odds))
        tables = expected_loss(spectrum, rates.ravel(), TIMES, momentum, power)
        without_noise, from_noise = (table.reshape(*rates.shape, len(TIMES)) for table in tables)
        loss = without_noise + from_noise / batch_sizes[:, None, None]
        return crossing(TIMES, np.moveaxis(loss, -1, 0), target * spectrum.initial_loss)

    # Rates by their odds, log of share / (1 - share) of the limit, so that they are dense at both of its ends.
    odds = np.linspace(np.log((1 - momentum) * LOWEST), HIGHEST, COARSE)[None]
    width = odds[0, 1] - odds[0, 0]
    best = pick(odds, steps_with(odds))
    for _ in range(ROUNDS):
        odds = best[:, None] + width * np.linspace(-1, 1, FINE + 2)[1:-1]
        width *= 2 / (FINE + 1)
        steps = steps_with(odds)
        best = pick(odds, steps)
    steps = steps.min(axis=1)
    return steps, np.where(np.isfinite(steps), limit / (1 + np.exp(-best)), np.nan)


def pick(odds, steps):
    return np.take_along_axis(np.broadcast_to(odds, steps.shape), steps.argmin(axis=1)[:, None], 1)[:, 0]


def check_optimizer(momentum: float, power: float) -> None:
    """Raise ValueError, saying what to mend, for an optimizer that does not exist."""
    if not 0 <= momentum < 1:
        raise ValueError(f"momentum must be at least 0 and below 1, not {momentum}")
    if not 0 <= power <= 1:
        raise ValueError(f"power must be between 0 (no preconditioner) and 1 (Newton's), not {power}")
