"""The noisy quadratic model: the exact expected loss of SGD, momentum and preconditioning, for all batch sizes and learning rates at once.

Model (Zhang et al. 2019, arXiv 1907.04164): the loss is Σ count · h θ² / 2 over independent modes, and the gradient of a batch of B
examples is h θ plus noise of variance c / B. Heavy ball: v ← momentum · v + gradient, θ ← θ - rate · v. A preconditioner h^-power
multiplies the gradient, noise included, so a mode behaves as if it had curvature h^(1 - power) and noise c h^(-2 power).

Solution: one gradient of size 1 pushes θ by -rate · g(1), -rate · g(2), … after 1, 2, … steps, where
g(0) = 0, g(1) = 1, g(t+1) = s g(t) - momentum · g(t-1), s = 1 + momentum - x, x = rate · h. With g = g(t) and g' = g(t+1):

* without noise, θ(t) = path · θ(0) with path = g' - momentum · g;
* the noise of t steps adds the variance rate² c / B · Σ g(k)² over k = 1 … t, and that sum is
  (1 + momentum) / ((1 - momentum) x (2 (1 + momentum) - x)) · (1 - path² - 2 momentum x / (1 + momentum) · g g').

With momentum 0 these are the formulas of SGD. So E L = without_noise + from_noise / B, and one table serves all batch sizes. The pair of
time 2t follows from that of time t, as with Fibonacci numbers: g(2t) = g (2 g' - s g) and g(2t+1) = g'² - momentum · g². Hence no powers,
no complex roots, and no double root to be told apart. Rounding stays below 1e-9 of either part, or of the initial loss where that is more.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from largebatch.descent import crossing

MAX_STEPS = 10**6  # where the search for a knee gives up
CELLS = 2**18  # rates × steps × modes that are worked on together: few enough to stay in the cache

# The search for the best rate: from LOWEST (less with momentum) up to a thousandth below the stable limit, then ever closer to the best ones.
LOWEST, HIGHEST, NUM_RATES = 1e-7, 0.999, 64
CLOSER, ROUNDS = np.array([-2, -1, 1, 2]) / 3, 2


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
            if (
                values.ndim != 1
                or values.shape != self.curvature.shape
                or not (np.isfinite(values) & (values >= 0)).all()
            ):
                raise ValueError(f"{name} must hold a finite number, 0 or more, for each mode, not {values}")
        if not (self.curvature > 0).all() or not (self.count > 0).all() or not self.initial_loss > 0:
            raise ValueError("every curvature and count must be positive, and some mode must start away from 0")

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
    for name, number in {"num_modes": num_modes, "bins": num_modes if bins is None else bins}.items():
        if not (number >= 1 and number % 1 == 0):
            raise ValueError(f"{name} must be a whole number, at least 1, not {number}")
    curvature = np.arange(1, num_modes + 1) ** -float(exponent)
    edges = np.arange(num_modes + 1)
    if bins is not None:
        edges = np.unique(np.geomspace(1, num_modes + 1, bins + 1).round().astype(int)) - 1
    count = np.diff(edges)
    means = np.add.reduceat(curvature, edges[:-1]) / count
    return Spectrum(means, means, np.ones(count.size), count)


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
    if rates.ndim != 1 or rates.size == 0 or not ((rates > 0) & (rates < limit)).all():
        raise ValueError(f"rates must be positive and below {limit:.6g}, the largest stable one, not {rates}")
    if steps.ndim != 1 or steps.size == 0 or not (np.isfinite(steps) & (steps >= 0) & (steps == np.round(steps))).all():
        raise ValueError(f"steps must be whole numbers, 0 or more, not {steps}")
    steps = steps.astype(int)
    chunk = max(1, CELLS // (steps.size * spectrum.curvature.size))
    parts = [rates[at : at + chunk] for at in range(0, rates.size, chunk)]
    tables = [table(spectrum, part, steps, momentum, power) for part in parts]
    without_noise, from_noise = np.concatenate(tables, axis=1)
    return without_noise, from_noise


def table(spectrum: Spectrum, rates: np.ndarray, steps: np.ndarray, momentum: float, power: float) -> np.ndarray:
    """Return what `expected_loss` does, as one array of shape (2, rates, steps)."""
    total = 1 + momentum
    push = rates[:, None] * spectrum.curvature ** (1 - power)  # x, shape (rates, modes)
    trace = total - push  # s
    weight = spectrum.count * spectrum.curvature / 2
    variance = rates[:, None] ** 2 * spectrum.noise * spectrum.curvature ** (-2 * power)
    noise_floor = weight * variance * total / ((1 - momentum) * push * (2 * total - push))
    coupling = 2 * momentum / total * push
    blocks = []
    for known, now, after in responses(trace, momentum, steps):
        path = (after - momentum * now) ** 2
        missing = path + coupling * now * after
        blocks.append((known, path @ (weight * spectrum.start), np.einsum("rm,trm->tr", noise_floor, 1 - missing)))
    known, without_noise, from_noise = map(np.concatenate, zip(*blocks, strict=True))
    at = np.searchsorted(known, steps)
    return np.stack([without_noise[at].T, from_noise[at].T])


def responses(trace: np.ndarray, momentum: float, steps: np.ndarray) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield t, g(t), g(t+1) of shapes (n,), (n, rates, modes) twice: for t = 0, then for all t of 1 bit, of 2 bits, … that are needed.

    trace : s = 1 + momentum - rate · curvature, shape (rates, modes); needed are the steps and their halves, quarters, …
    """
    num_bits = int(steps.max()).bit_length()
    needed = np.unique(steps >> np.arange(num_bits + 1)[:, None])
    known, now, after = needed[:1], np.zeros((1, *trace.shape)), np.ones((1, *trace.shape))
    yield known, now, after
    for shorter in range(num_bits):
        wanted = needed[needed >> shorter == 1]
        half = np.searchsorted(known, wanted >> 1)
        now, after = now[half], after[half]
        now, after = now * (2 * after - trace * now), after * after - momentum * now * now
        odd = wanted % 2 == 1
        now[odd], after[odd] = after[odd], trace * after[odd] - momentum * now[odd]
        known = wanted
        yield known, now, after


def knee(
    spectrum: Spectrum, batch_sizes, target: float, momentum: float = 0.0, power: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Return steps and best constant rate for each batch size, both of shape (batch sizes,).

    target : share of the initial loss. Steps are where the expected loss first falls to it, interpolated between whole steps (in log loss);
             inf, and rate nan, where MAX_STEPS do not suffice.

    Under momentum the loss swings, and with a large batch it may dip below the target for a step or two. A dip that the loss without noise
    leaves again does not count, else the best rate would be the one with the luckiest swing; SGD never swings.

    Error against a dense search without bins (benchmarks/quadratic.py): less than 1 %, but with momentum at large batches, which need less than
    three times the fewest steps, up to 6 %. Below one step the interpolation has no meaning but that one step is enough.
    """
    batch_sizes = np.atleast_1d(np.asarray(batch_sizes, float))
    if batch_sizes.ndim != 1 or batch_sizes.size == 0 or not ((batch_sizes > 0) & np.isfinite(batch_sizes)).all():
        raise ValueError(f"batch sizes must be finite and positive, not {batch_sizes}")
    if not 0 < target < 1:
        raise ValueError(f"a target is a share of the initial loss, between 0 and 1, not {target}")
    limit = largest_stable_rate(spectrum, momentum, power)
    times = times_to_look(momentum)
    # Rates are told by their odds, log(share / (1 - share)) of the limit, so that they are dense at both of its ends.
    odds = np.linspace(np.log((1 - momentum) * LOWEST), np.log(HIGHEST / (1 - HIGHEST)), NUM_RATES)
    spacing = odds[1] - odds[0]
    best_steps, best_odds = np.full(batch_sizes.size, np.inf), np.full(batch_sizes.size, np.nan)
    for _ in range(1 + ROUNDS):
        without_noise, from_noise = expected_loss(spectrum, limit / (1 + np.exp(-odds)), times, momentum, power)
        to_come = np.maximum.accumulate(without_noise[:, ::-1], axis=1)[:, ::-1]
        losses = ((to_come + from_noise / batch_size).T for batch_size in batch_sizes)
        steps = np.stack([crossing(times, loss, target * spectrum.initial_loss) for loss in losses])
        best_odds = np.where(steps.min(axis=1) < best_steps, odds[steps.argmin(axis=1)], best_odds)
        best_steps = np.minimum(steps.min(axis=1), best_steps)
        reached = best_odds[np.isfinite(best_steps)]
        if not reached.size:
            break
        odds = np.unique(reached[:, None] + spacing * CLOSER)
        spacing /= 3
    return best_steps, limit / (1 + np.exp(-best_odds))


def times_to_look(momentum: float) -> np.ndarray:
    """Return steps up to MAX_STEPS: every one at first, every second one while momentum lets the loss swing, then eight to a doubling."""
    swinging = np.arange(0, min(8 / (1 - momentum), 2000), 2)
    doubling = (np.arange(64, 128, 8) * 2 ** np.arange(14)[:, None]).ravel()
    return np.unique([*range(64), *swinging, *doubling[doubling < MAX_STEPS], MAX_STEPS]).astype(int)


def check_optimizer(momentum: float, power: float) -> None:
    """Raise ValueError, saying what to mend, for an optimizer that does not exist."""
    if not 0 <= momentum < 1:
        raise ValueError(f"momentum must be at least 0 and below 1, not {momentum}")
    if not 0 <= power <= 1:
        raise ValueError(f"power must be between 0 (no preconditioner) and 1 (Newton's), not {power}")
