"""Logistic regression: the problem of lessons 03 to 06, small enough that every run, the optimum and the noise scale are computed in full."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from largebatch import noise_scale

NEWTON_STEPS = 50


@dataclass(frozen=True, eq=False)
class LogisticRegression:
    """Mean logistic loss over all examples. features: shape (N, d); labels: shape (N,), each 0 or 1; weights: shape (d,) or (d, runs)."""

    features: np.ndarray
    labels: np.ndarray

    @property
    def num_examples(self) -> int:
        """N, in examples."""
        return len(self.labels)

    @cached_property
    def turned(self) -> np.ndarray:
        """The features, turned over where the label is 0, shape (N, d): turned · weights is positive where the right label is the likelier.

        With them labels are needed no more. The loss of an example, log(1 + exp(z)) - label · z for a logit z, is
        log(1 + exp(-turned · weights)) for both labels, and its gradient is -wrong · turned.
        """
        return self.features * (2 * self.labels - 1)[:, None]

    def wrong(self, weights: np.ndarray) -> np.ndarray:
        """Return the probability that the model gives to the wrong label of each example, shape (N,) or (N, runs)."""
        return sigmoid(self.turned @ -weights)

    def loss(self, weights: np.ndarray) -> np.ndarray | float:
        """Return the mean loss in nats, one number or one for each run."""
        return softplus(self.turned @ -weights).mean(axis=0)

    def gradient(self, weights: np.ndarray) -> np.ndarray:
        """Return the gradient of the mean loss, shaped like the weights."""
        return -(self.turned.T @ self.wrong(weights)) / self.num_examples

    def hessian(self, weights: np.ndarray) -> np.ndarray:
        """Return the second derivatives of the mean loss at one weight vector, shape (d, d)."""
        wrong = self.wrong(weights)
        scaled = self.turned * np.sqrt(wrong * (1 - wrong))[:, None]
        return scaled.T @ scaled / self.num_examples

    def noise(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return trace of the covariance of the examples' gradients, and squared norm of their mean; the noise scale is their ratio."""
        return noise_scale.exact(self.turned, self.wrong(weights))

    @cached_property
    def optimum(self) -> np.ndarray:
        """The weights of least loss, by Newton's method; LinAlgError or ValueError where there is no single optimum."""
        weights = np.zeros(self.features.shape[1])
        for _ in range(NEWTON_STEPS):
            step = np.linalg.solve(self.hessian(weights), self.gradient(weights))
            weights -= step
            if np.abs(step).max() < 1e-12 * np.abs(weights).max():
                return weights
        raise ValueError("no optimum: Newton's method did not settle; perhaps a plane separates the two labels")

    @cached_property
    def least_loss(self) -> float:
        """The loss at the optimum, in nats."""
        return float(self.loss(self.optimum))

    @cached_property
    def initial_excess(self) -> float:
        """The loss above the optimum at weights 0, where every run starts, in nats."""
        return float(np.log(2) - self.least_loss)


def sigmoid(logits: np.ndarray) -> np.ndarray:
    """Return 1 / (1 + exp(-logits)); exact at any size, where exp overflows the result is 0."""
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-logits))


def softplus(logits: np.ndarray) -> np.ndarray:
    """Return log(1 + exp(logits)) without overflow."""
    return np.log1p(np.exp(-np.abs(logits))) + np.maximum(logits, 0)


def draw(
    rng: np.random.Generator, scales: np.ndarray, num_examples: int, label_noise: float = 0.0
) -> LogisticRegression:
    """Draw Gaussian features with these standard deviations, true weights, and labels from the true probabilities.

    label_noise : share of the labels that is replaced by the toss of a fair coin
    """
    features = rng.standard_normal((num_examples, len(scales))) * scales
    true_weights = rng.standard_normal(len(scales))
    probability = label_noise / 2 + (1 - label_noise) * sigmoid(features @ true_weights)
    return LogisticRegression(features, (rng.random(num_examples) < probability).astype(float))
