"""Stochastic gradient descent on logistic regression: one run in whole epochs, or many learning rates and seeds at once.

The many runs share everything that they can: learning rates stand in the columns of one weight matrix and see the same minibatches
(common random numbers, so that they differ by nothing but the rate), seeds stand on a batch axis, and the loss is evaluated between
steps on a geometric grid, never within a step. They compute in float32, which changes an excess loss by less than 1e-6 nats.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from largebatch.logistic import LogisticRegression

GRID_RATIO = 1.04  # between steps at which the loss is evaluated
CATCH_UP = 1.5  # a sweep goes on for so many times the steps of the first rate that reaches the target
COLUMNS = 112  # runs whose losses are computed together: few enough to stay in the cache
MAX_STEPS, MAX_EXAMPLES = 30_000, 2**22  # where a run that does not reach its target is given up, whichever comes first


# -- one run, in whole epochs ----------------------------------------------------------------------------------------------------


def epoch_losses(
    problem: LogisticRegression, batch_size: int, rate: float, warmup_steps: int, rng: np.random.Generator
) -> Iterator[float]:
    """Yield the loss (nats) after each epoch of a run that starts at weights 0; it ends where the weights overflow.

    Shuffles the examples with one rng.permutation an epoch, keeps the last, smaller batch, and multiplies the rate by
    (step + 1) / warmup_steps in the first warmup_steps steps.
    """
    check_run(batch_size, np.array([rate]), warmup_steps)
    turned, shuffled = problem.turned, np.empty_like(problem.turned)
    weights, step = np.zeros(turned.shape[1]), 0
    while np.isfinite(weights).all():
        if step:
            with np.errstate(over="ignore"):
                loss = problem.loss(weights)
            yield loss
        # Shuffled once an epoch, so that batches are slices.
        np.take(turned, rng.permutation(len(turned)), axis=0, out=shuffled, mode="clip")
        with np.errstate(over="ignore", invalid="ignore"):  # where exp overflows the probability is 0
            for start in range(0, len(turned), batch_size):
                batch = shuffled[start : start + batch_size]
                wrong = wrong_in_place(batch @ weights)
                warmed = rate * (step + 1) / warmup_steps if step < warmup_steps else rate
                weights += (warmed / len(batch)) * (wrong @ batch)
                step += 1


def wrong_in_place(logits: np.ndarray) -> np.ndarray:
    """Return the probability of the wrong label, 1 / (1 + exp(logit)), written over the logits of the right one."""
    np.exp(logits, out=logits)
    logits += 1
    return np.reciprocal(logits, out=logits)


def epochs_to_target(
    problem: LogisticRegression,
    target_loss: float,
    batch_size: int,
    rate: float,
    warmup_steps: int,
    max_epochs: int,
    rng: np.random.Generator,
) -> int | None:
    """Return the whole epochs until the loss is at most target_loss (nats), None where max_epochs do not reach it."""
    check_target(problem, target_loss)
    losses = islice(epoch_losses(problem, batch_size, rate, warmup_steps, rng), max_epochs)
    return next((epoch for epoch, loss in enumerate(losses, 1) if loss <= target_loss), None)


# -- many runs at once -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Curves:
    """Loss above the optimum of many runs. steps: shape (T,); excess: shape (T, seeds, rates), in nats; steps[0] is 0."""

    rates: np.ndarray
    steps: np.ndarray
    excess: np.ndarray

    def steps_to(self, excess: float) -> np.ndarray:
        """Return for each rate the steps until the seed-mean curve first crosses this excess (nats); inf where it does not."""
        return crossing(self.steps, self.excess.mean(axis=1), excess)

    def best_rate(self, excess: float) -> float:
        """Return the rate of fewest steps, between the rates that were run: the vertex of a parabola in log rate and log steps.

        A rate that did not get there counts with all the steps that it was given. ValueError where none got there.
        """
        steps = self.steps_to(excess)
        if not np.isfinite(steps).any():
            raise ValueError("no learning rate reached the target")
        best = int(steps.argmin())
        if best in (0, len(steps) - 1):
            return float(self.rates[best])
        left, middle, right = np.log(np.minimum(steps, self.steps[-1])[best - 1 : best + 2])
        shift = (left - right) / max(left + right - 2 * middle, 1e-12) / 2
        return float(self.rates[best] * (self.rates[best + 1] / self.rates[best]) ** np.clip(shift, -0.5, 0.5))


def walk(
    problem: LogisticRegression,
    batch_size: int,
    rates: np.ndarray,
    num_seeds: int,
    rng: np.random.Generator,
    warmup_steps: int = 0,
) -> Iterator[np.ndarray]:
    """Yield the weights of all runs after step 0, 1, 2, …, shape (seeds, d, rates), float32; the array is overwritten.

    Each batch is drawn with replacement: there are no epochs, and a batch may be larger than the data.
    """
    rates = np.asarray(rates, float)
    check_run(batch_size, rates, warmup_steps)
    turned = problem.turned.astype("f4", copy=False)
    weights = np.zeros((num_seeds, turned.shape[1], len(rates)), "f4")
    step_sizes = np.minimum(rates / batch_size, np.finfo("f4").max).astype("f4")
    step = 0
    while True:
        yield weights
        batch = turned[rng.integers(0, len(turned), (num_seeds, batch_size))]
        with np.errstate(over="ignore", invalid="ignore"):  # absurd rates may overflow; such runs never reach a target
            wrong = wrong_in_place(batch @ weights)
            warmed = step_sizes * np.float32((step + 1) / warmup_steps) if step < warmup_steps else step_sizes
            weights += warmed * (batch.transpose(0, 2, 1) @ wrong)
        step += 1


def excess_curves(
    problem: LogisticRegression,
    batch_size: int,
    rates: np.ndarray,
    target: float,
    num_seeds: int,
    rng: np.random.Generator,
    warmup_steps: int = 0,
) -> Curves:
    """Run SGD with every rate and seed until one rate has brought the seed-mean excess down to the target (nats).

    The other rates get CATCH_UP times as many steps. Where no rate reaches the target the curves end at MAX_STEPS or MAX_EXAMPLES.
    """
    rates = np.asarray(rates, float)
    check_run(batch_size, rates, warmup_steps)
    check_target(problem, problem.least_loss + target)
    excess_of = ExcessLoss(problem)
    steps, excess, due, reached = [], [], 0, False
    last = min(MAX_STEPS, max(1, MAX_EXAMPLES // batch_size))
    for step, weights in enumerate(walk(problem, batch_size, rates, num_seeds, rng, warmup_steps)):
        if step >= due or step >= last:
            steps.append(step)
            excess.append(excess_of(weights))
            due = max(step + 1, step * GRID_RATIO)
            if not reached and excess[-1].mean(axis=0).min() <= target:
                reached, last = True, min(last, CATCH_UP * step)
        if step >= last:
            return Curves(rates, np.array(steps), np.array(excess))


class ExcessLoss:
    """The loss above the optimum of many runs at once, in float32."""

    def __init__(self, problem: LogisticRegression):
        self.across = np.ascontiguousarray(problem.turned.T, "f4")  # shape (d, N)
        self.least_loss = problem.least_loss

    def __call__(self, weights: np.ndarray) -> np.ndarray:
        """Return the excess in nats, shape (seeds, rates), of weights of shape (seeds, d, rates)."""
        seeds, dimension, rates = weights.shape
        columns = weights.transpose(1, 0, 2).reshape(dimension, seeds * rates)
        with np.errstate(over="ignore", invalid="ignore"):
            losses = [self.loss(columns[:, at : at + COLUMNS]) for at in range(0, columns.shape[1], COLUMNS)]
        excess = np.concatenate(losses) - self.least_loss
        return np.where(np.isfinite(excess), excess, np.inf).reshape(seeds, rates)

    def loss(self, columns: np.ndarray) -> np.ndarray:
        """Return the mean of log(1 + exp(-turned · weights)) over the examples, for each column of weights."""
        # A row for each run, because NumPy sums along a row pairwise, with little rounding.
        logits = -columns.T @ self.across
        np.exp(logits, out=logits)  # beyond 88 it overflows: such a run counts as infinitely far off
        logits += 1
        return np.log(logits, out=logits).mean(axis=1)


def crossing(steps: np.ndarray, excess: np.ndarray, target: float) -> np.ndarray:
    """Return where curves first fall to the target, interpolated between log excesses; inf where they never do.

    steps: shape (T,), excess: shape (T, …); returns shape (…).
    """
    reached = excess <= target
    after = np.clip(reached.argmax(axis=0), 1, len(steps) - 1)[None]
    high, low = (np.take_along_axis(excess, at, axis=0)[0] for at in (after - 1, after))
    with np.errstate(invalid="ignore", divide="ignore"):  # of curves that never get there, or touch the optimum
        low = np.clip(low, 1e-9 * high, 0.999999 * high)
        share = np.clip(np.log(high / target) / np.log(high / low), 0, 1)
    before, until = steps[after[0] - 1], steps[after[0]]
    return np.where(reached.any(axis=0), before + share * (until - before), np.inf)


# -- bad input -------------------------------------------------------------------------------------------------------------------


def check_run(batch_size: int, rates: np.ndarray, warmup_steps: float) -> None:
    """Raise ValueError, saying what to mend, for a run that cannot be made."""
    if not isinstance(batch_size, int | np.integer) or batch_size < 1:
        raise ValueError(f"a batch holds a whole number of examples, at least 1, not {batch_size}")
    if not (np.isfinite(rates) & (rates > 0)).all() or rates.size == 0:
        raise ValueError(f"learning rates must be finite and positive, not {rates}")
    if not 0 <= warmup_steps < np.inf:
        raise ValueError(f"warmup takes 0 or more steps, not {warmup_steps}")


def check_target(problem: LogisticRegression, target_loss: float) -> None:
    """Raise ValueError for a target (nats) that no run can reach."""
    if not target_loss > problem.least_loss:
        raise ValueError(
            f"no run can reach a loss of {target_loss:.6g} nats: the least possible is {problem.least_loss:.6g}"
        )
