"""How a learning rate follows the batch: four rules, each right under its own premise, and none of them always.

Every function takes the learning rate of a run that works, the batch of that run and the new one, and returns the new rate. Batches are
in any one unit (examples, sequences or tokens) and may be arrays; all inputs must be positive.
"""

from typing import NamedTuple

import numpy as np


class AdamSettings(NamedTuple):
    """What the square-root rule changes in Adam."""

    learning_rate: float
    beta1: float
    beta2: float
    epsilon: float


def linear(learning_rate, batch, new_batch):
    """Keep mean and covariance of the path per example, as long as the gradient hardly changes on it (Goyal et al. 2017)."""
    require_positive(learning_rate=learning_rate, batch=batch, new_batch=new_batch)
    return learning_rate * np.divide(new_batch, batch)


def square_root(learning_rate, batch, new_batch):
    """Keep the covariance of one step of SGD."""
    require_positive(learning_rate=learning_rate, batch=batch, new_batch=new_batch)
    return learning_rate * np.sqrt(np.divide(new_batch, batch))


def saturating(learning_rate, batch, new_batch, noise_scale):
    """Keep the best expected loss after one step, if learning_rate was the best for batch (McCandlish et al. 2018, section 2.2).

    noise_scale : tr(HΣ) / GᵀHG, in the unit of the batches
    """
    require_positive(learning_rate=learning_rate, batch=batch, new_batch=new_batch, noise_scale=noise_scale)
    return learning_rate * (1 + np.divide(noise_scale, batch)) / (1 + np.divide(noise_scale, new_batch))


def adam_square_root(learning_rate, beta1, beta2, epsilon, batch, new_batch) -> AdamSettings:
    """Keep mean and covariance of Adam's path per example where noise dominates the gradient (Malladi et al. 2022).

    batch, new_batch : two numbers. Raises ValueError where the batch grows by so much that a beta would fall below 0.
    """
    require_positive(learning_rate=learning_rate, epsilon=epsilon, batch=batch, new_batch=new_batch)
    factor = new_batch / batch
    new_beta1, new_beta2 = (1 - factor * (1 - beta) for beta in (beta1, beta2))
    if min(beta1, beta2, new_beta1, new_beta2) < 0 or max(beta1, beta2) >= 1:
        raise ValueError(
            f"betas must lie between 0 and 1, before and after: {beta1:g} becomes {new_beta1:g}, {beta2:g} becomes {new_beta2:g}"
        )
    return AdamSettings(learning_rate * factor**0.5, new_beta1, new_beta2, epsilon / factor**0.5)


def require_positive(**values) -> None:
    """Raise ValueError, naming the input, where a value is not positive."""
    for name, value in values.items():
        positive = value > 0 if isinstance(value, int | float) else np.all(np.asarray(value) > 0)
        if not positive:
            raise ValueError(f"{name} must be positive, not {value}")
