"""The gradient noise scale tr Σ / |G|², estimated from gradients that training computes anyway.

G is the mean and Σ the covariance of the gradients of single examples. A batch of B examples has a gradient whose squared norm is
|G|² + tr Σ / B on average, so at B = tr Σ / |G|² noise and signal are equally strong (McCandlish et al. 2018, arXiv 1812.06162, where this
is B_simple). The unit is the example: whatever is drawn independently, in language models a sequence; multiply by its length for tokens.

The two parts are kept apart and averaged before they are divided. In a PyTorch loop, largebatch.noise_meter feeds them in.
"""

import math

import numpy as np

MIN_STEPS = 8  # fewer say nothing about their own spread
SURE = 2.0  # standard errors


def exact(features: np.ndarray, residuals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return tr Σ and |G|² of a linear model, where the gradient of an example is its residual times its features.

    features: shape (N, d); residuals (derivative of the loss of an example by its output): shape (N,) or (N, runs)
    returns two numbers, or two arrays of shape (runs,)
    """
    num_examples = len(features)
    mean = features.T @ residuals / num_examples
    squared_norm = (mean**2).sum(axis=0)
    # A product of two numbers, so its squared norm is one too: no gradient is ever stored.
    mean_square = (features**2).sum(axis=1) @ residuals**2 / num_examples
    return mean_square - squared_norm, squared_norm


def two_batch(small_sq_norm, big_sq_norm, small_batch, big_batch) -> tuple[np.ndarray | float, np.ndarray | float]:
    """Return unbiased estimates of tr Σ and |G|² from squared norms of gradients (means over their batches) at two batch sizes.

    Solves small = |G|² + tr Σ / small_batch and big = |G|² + tr Σ / big_batch. A single estimate of |G|² may well be negative: average many,
    then divide (NoiseScale). Best use of R equal pieces of a batch, micro-batches or ranks: the mean of their R squared norms as
    small_sq_norm and that of their mean gradient as big_sq_norm, big_batch = R · small_batch.

    ..._sq_norm: numbers, or arrays of one shape (a step each); ..._batch: in examples, 0 < small_batch < big_batch, else ValueError
    """
    if not 0 < small_batch < big_batch < math.inf:
        raise ValueError(
            f"two different batch sizes are needed, 0 < small_batch < big_batch, not {small_batch} and {big_batch}"
        )
    trace = (small_sq_norm - big_sq_norm) / (1 / small_batch - 1 / big_batch)
    return trace, big_sq_norm - trace / big_batch


def predicted_law(traces: np.ndarray, squared_norms: np.ndarray, run_batch: float) -> tuple[float, float]:
    """Return S_min (steps) and E_min (examples) of S = S_min + E_min / B, predicted from one run with batches of run_batch examples.

    A step of the run at which the noise scale was b stands for 1 / (1 + b / run_batch) steps without noise (lesson 06).
    traces, squared_norms: averages at each step of the run, shape (steps,); single estimates would divide by noise. ValueError where
    run_batch is not above 0, or a step's |G|² + tr Σ / run_batch is not
    """
    if not run_batch > 0:
        raise ValueError(f"run_batch is the number of examples in a batch of the run, not {run_batch}")
    traces, squared_norms = np.asarray(traces, float), np.asarray(squared_norms, float)
    batch_squares = squared_norms + traces / run_batch
    if traces.shape != squared_norms.shape or traces.ndim != 1 or not traces.size or not (batch_squares > 0).all():
        raise ValueError(
            "needed are one trace and one squared norm for each step, with |G|² + tr Σ / run_batch above 0: average over runs or steps"
        )
    return float((squared_norms / batch_squares).sum()), float((traces / batch_squares).sum())


class NoiseScale:
    """Estimates of tr Σ and |G|², averaged over steps and only then divided.

    memory : steps that the averages reach back (exponential weights), at least MIN_STEPS, else ValueError; None counts all steps alike, for
             gradients at one point
    """

    def __init__(self, memory: float | None = None):
        if memory is not None and not memory >= MIN_STEPS:  # one of 4 would never come to MIN_STEPS
            raise ValueError(f"memory is a number of steps, at least {MIN_STEPS}, or None for all steps; not {memory}")
        self.decay = 1.0 if memory is None else 1 - 1 / memory
        self.num_skipped = 0
        self._weight = self._squared_weight = 0.0
        self._sums = np.zeros(2)  # of trace and squared norm
        self._products = np.zeros((2, 2))

    def add(self, trace: float, squared_norm: float) -> None:
        """Take in the estimates of one step; what is not finite, as after an overflow in mixed precision, is counted and left out."""
        parts = np.array([float(trace), float(squared_norm)])
        if not np.isfinite(parts).all():
            self.num_skipped += 1
            return
        self._weight = self.decay * self._weight + 1
        self._squared_weight = self.decay**2 * self._squared_weight + 1
        self._sums = self.decay * self._sums + parts
        self._products = self.decay * self._products + np.outer(parts, parts)

    @property
    def num_steps(self) -> float:
        """Steps that the averages rest on; with a memory of m, it settles at 2m - 1."""
        return self._weight**2 / self._squared_weight if self._weight else 0.0

    @property
    def trace(self) -> float:
        """The average of tr Σ; nan before the first step."""
        return float(self._sums[0] / self._weight) if self._weight else math.nan

    @property
    def squared_norm(self) -> float:
        """The average of |G|², which may be negative as long as it is not resolved; nan before the first step."""
        return float(self._sums[1] / self._weight) if self._weight else math.nan

    @property
    def covariance(self) -> np.ndarray:
        """The covariance of the two averages, shape (2, 2), from the spread of the steps; nan before MIN_STEPS.

        It takes the steps as independent, as they are where each draws a batch of its own.
        """
        if self.num_steps < MIN_STEPS:
            return np.full((2, 2), math.nan)
        means = self._sums / self._weight
        return (self._products / self._weight - np.outer(means, means)) / (self.num_steps - 1)

    @property
    def resolved(self) -> bool:
        """Whether the average of |G|² is more than two standard errors above 0; if not, a ratio means nothing."""
        return bool(self.squared_norm > SURE * math.sqrt(max(self.covariance[1, 1], 0.0)))

    @property
    def value(self) -> float:
        """The noise scale in examples: ratio of the averages; nan as long as it is not resolved."""
        return self.trace / self.squared_norm if self.resolved else math.nan

    @property
    def standard_error(self) -> float:
        """The standard error of the value in examples, to first order; nan as long as it is not resolved."""
        slope = np.array([1.0, -self.value]) / self.squared_norm
        return math.sqrt(max(slope @ self.covariance @ slope, 0.0)) if self.resolved else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The noise scales that the averages do not contradict by more than two standard errors (Fieller 1954); the upper end may be inf.

        Those are the ratios r for which tr Σ - r |G|² could be 0: between the roots of a quadratic. nan, nan before MIN_STEPS.
        """
        # A squared norm is not negative, so that a negative average says: 0, give or take.
        means, spread = np.array([self.trace, max(self.squared_norm, 0.0)]), SURE**2 * self.covariance
        if np.isnan(spread).any():
            return math.nan, math.nan
        a, b, c = (means[i] * means[j] - spread[i, j] for i, j in ((1, 1), (0, 1), (0, 0)))
        root = math.sqrt(max(b * b - a * c, 0.0))
        if a > 0:
            return tuple(max(0.0, float(end / a)) for end in (b - root, b + root))
        if c <= 0:
            return 0.0, math.inf
        low = c / (b + root) if b + root > 0 else math.inf  # the root that stays finite where a is 0
        return float(low), math.inf

    def __str__(self) -> str:
        if self.num_steps < MIN_STEPS:
            return f"noise scale not resolved: {self.num_steps:.0f} steps, at least {MIN_STEPS} are needed"
        low, high = self.interval
        if not self.resolved:
            return f"noise scale not resolved after {self.num_steps:.0f} steps: at least {figures(low)} examples; average more, or larger batches"
        return f"noise scale {figures(self.value)} examples ({figures(low)} to {figures(high)}, {self.num_steps:.0f} steps)"


def figures(number: float) -> str:
    """Return a number to three figures, without an exponent where it is large."""
    return f"{float(f'{number:.3g}'):,.0f}" if number >= 100 else f"{number:.3g}"
