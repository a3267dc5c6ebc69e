"""A race of optimizers on a small network: every setting of an optimizer, on the same examples, side by side.

The student has two layers and learns from a teacher of the same shape: labels are the teacher's outputs plus noise. The stored
weights of the student's first layer can be given another scale, which the forward pass undoes: the function that the student
computes at the start, and all functions that it can compute, stay the same.

Arrays have the shape (seeds, settings, …): a norm is one for each run, which is all that LARS and LAMB need. They compute in float32.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from largebatch.descent import Curves

INPUTS, HIDDEN = 16, 16
LABEL_NOISE = 0.5  # standard deviation
TEST_EXAMPLES = 256
GRID_RATIO, CATCH_UP, MAX_STEPS = 1.08, 1.3, 10_000  # see largebatch.descent

MOMENTA = (0.0, 0.5, 0.9)
RATES = {  # eight for each momentum, a factor 2 apart; in lesson 07 the best one is at neither end
    "SGD": 2.0 ** np.arange(-6, 2),
    "LARS": 2.0 ** np.arange(-9, -1),
    "Adam": 2.0 ** np.arange(-8, 0),
    "LAMB": 2.0 ** np.arange(-8, 0),
}


@dataclass(frozen=True)
class Student:
    """The problem. teacher: seed of the teacher's weights; shrink: the student's first layer computes shrink · (stored weights)."""

    teacher: int = 1
    shrink: float = 1.0

    @cached_property
    def teacher_weights(self) -> list[np.ndarray]:
        """Both layers of the teacher, shapes (INPUTS, HIDDEN) and (HIDDEN, 1)."""
        rng = np.random.default_rng(self.teacher)
        layers = 2 * rng.standard_normal((INPUTS, HIDDEN)) / INPUTS**0.5, rng.standard_normal((HIDDEN, 1))
        return [layer.astype("f4") for layer in layers]

    @cached_property
    def test(self) -> tuple[np.ndarray, np.ndarray]:
        """Examples without label noise, on which the excess loss is computed."""
        return self.examples(np.random.default_rng(99), 1, TEST_EXAMPLES, noise=0.0)

    def examples(self, rng: np.random.Generator, seeds: int, number: int, noise: float = LABEL_NOISE):
        """Return inputs and labels, shapes (seeds, 1, number, INPUTS) and (seeds, 1, number, 1)."""
        x = rng.standard_normal((seeds, 1, number, INPUTS), dtype="f4")
        labels = np.tanh(x @ self.teacher_weights[0]) @ self.teacher_weights[1]
        return x, labels + np.float32(noise) * rng.standard_normal(labels.shape, dtype="f4")

    def start(self, rng: np.random.Generator, seeds: int) -> list[np.ndarray]:
        """Return the student's stored weights before training, shapes (seeds, 1, INPUTS, HIDDEN) and (seeds, 1, HIDDEN, 1)."""
        first = rng.standard_normal((seeds, 1, INPUTS, HIDDEN)) / INPUTS**0.5 / self.shrink
        return [first.astype("f4"), (rng.standard_normal((seeds, 1, HIDDEN, 1)) / HIDDEN**0.5).astype("f4")]

    def gradients(self, weights: list[np.ndarray], x: np.ndarray, labels: np.ndarray) -> list[np.ndarray]:
        """Return the gradient of half the mean squared error, for each layer's stored weights."""
        shrink = np.float32(self.shrink)
        hidden = x @ (shrink * weights[0])
        np.tanh(hidden, out=hidden)
        errors = (hidden @ weights[1] - labels) / x.shape[-2]
        second = hidden.swapaxes(-1, -2) @ errors
        hidden *= hidden
        np.subtract(1, hidden, out=hidden)  # the derivative of tanh
        hidden *= errors
        return [shrink * (x.swapaxes(-1, -2) @ hidden) * weights[1].swapaxes(-1, -2), second]

    def excess(self, weights: list[np.ndarray]) -> np.ndarray:
        """Return half the mean squared difference to the teacher, shape (seeds, settings); a large number where a run overflowed."""
        x, labels = self.test
        errors = np.tanh(x @ (np.float32(self.shrink) * weights[0])) @ weights[1] - labels
        excess = np.square(errors[..., 0]).mean(axis=-1) / 2
        return np.where(excess < 1e6, excess, np.float32(1e6))


def momentum_update(gradient, state, step, momentum):
    """Return the heavy ball's update before the rate; state holds one array, the buffer, and is overwritten."""
    state[0] = momentum * state[0] + gradient
    return state[0]


def adam_update(gradient, state, step, beta1, beta2=0.999, eps=1e-8):
    """Return Adam's update before the rate; state holds both moments and is overwritten."""
    state[0] = beta1 * state[0] + (1 - beta1) * gradient
    state[1] = beta2 * state[1] + (1 - beta2) * gradient**2
    return state[0] / (1 - beta1**step) / (np.sqrt(state[1] / (1 - beta2**step)) + eps)


def update(optimizer: str, weights, gradient, state, step, momentum):
    """Return the update of one layer before the rate. LARS scales the gradient and LAMB the update to the norm of the weights.

    LARS has the trust coefficient 1, so a rate is the relative length of a step. No weight decay, so none of the ratios needs it.
    """
    if optimizer in ("SGD", "LARS"):
        scaled = gradient * (norm(weights) / norm(gradient)) if optimizer == "LARS" else gradient
        return momentum_update(scaled, state, step, momentum)
    plain = adam_update(gradient, state, step, momentum)
    return plain * (norm(weights) / norm(plain)) if optimizer == "LAMB" else plain


def norm(layer: np.ndarray) -> np.ndarray:
    """Return the norm of each run's layer, shape (seeds, settings, 1, 1)."""
    return np.sqrt(np.square(layer).sum(axis=(-2, -1), keepdims=True))


def race(
    problem: Student,
    optimizer: str,
    batch_size: int,
    target: float,
    seed: int = 0,
    num_seeds: int = 6,
    momenta: tuple[float, ...] = MOMENTA,
    finer: int = 1,
) -> Curves:
    """Return the excess loss of every rate and momentum of an optimizer, all on the same examples, down to a share of the initial excess.

    Settings are ordered as momenta × rates; finer: rates for each factor of 2; SGD's and Adam's rates are divided by the problem's shrink.
    All settings go on for CATCH_UP times the steps of the first one to get there, MAX_STEPS at most. A seed stands for a start of the student
    and for its examples.
    """
    rates = (RATES[optimizer][:, None] * 2.0 ** (np.arange(finer) / finer)).ravel()
    if optimizer in ("SGD", "Adam"):
        rates = rates / problem.shrink
    rate, momentum = (part.ravel().astype("f4")[:, None, None] for part in np.meshgrid(rates, momenta))
    rng, weights = np.random.default_rng([seed, batch_size]), problem.start(np.random.default_rng(seed), num_seeds)
    weights = [np.repeat(layer, len(rate), axis=1) for layer in weights]
    states = [[np.zeros_like(layer), np.zeros_like(layer)] for layer in weights]
    steps, excess, due, last, reached = [0], [problem.excess(weights)], 1, MAX_STEPS, False
    level = target * excess[0].mean()
    with np.errstate(all="ignore"):  # a rate that is too large may overflow
        for step in range(1, MAX_STEPS + 1):
            for layer, gradient in enumerate(problem.gradients(weights, *problem.examples(rng, num_seeds, batch_size))):
                change = update(optimizer, weights[layer], gradient, states[layer], step, momentum)
                weights[layer] = weights[layer] - rate * change
            if step >= due or step >= last:
                steps.append(step)
                excess.append(problem.excess(weights))
                due = max(step + 1, step * GRID_RATIO)
                if not reached and excess[-1].mean(axis=0).min() <= level:
                    reached, last = True, min(last, CATCH_UP * step)
            if step >= last:
                break
    return Curves(rate.ravel(), np.array(steps), np.array(excess))
