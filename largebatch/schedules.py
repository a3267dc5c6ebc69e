"""Warmup: the rate of each step, the area under the rate, and the share of a run that warmup takes.

Steps are counted from 0. A gradual warmup of W steps gives step t < W the rate peak (t + 1) / W, and every later step the peak; W = 0
is no warmup. Goyal et al. 2017 (arXiv 1706.02677), section 2.2.
"""

import math

import numpy as np


def warmup_rates(num_steps: int, peak_rate: float, warmup_steps: int) -> np.ndarray:
    """Return the rates of the first num_steps steps, shape (num_steps,); ValueError where an argument makes no sense."""
    _refuse_unless_positive(num_steps=num_steps, peak_rate=peak_rate)
    _refuse_negative(warmup_steps=warmup_steps)
    return peak_rate * np.minimum(1.0, np.arange(1, num_steps + 1) / max(warmup_steps, 1))


def warmup_area(num_steps: int, peak_rate: float, warmup_steps: int) -> float:
    """Return the sum of the rates of the first num_steps steps, in closed form; ValueError where an argument makes no sense."""
    _refuse_unless_positive(num_steps=num_steps, peak_rate=peak_rate)
    _refuse_negative(warmup_steps=warmup_steps)
    inside = min(num_steps, warmup_steps)
    ramp = inside * (inside + 1) / (2 * warmup_steps) if warmup_steps else 0.0
    return peak_rate * (ramp + num_steps - inside)


def steps_for(num_examples: float, global_batch: int) -> int:
    """Return the whole number of steps of global_batch examples that hold num_examples; ValueError where one is not positive."""
    _refuse_unless_positive(num_examples=num_examples, global_batch=global_batch)
    return math.ceil(num_examples / global_batch)


def share_in_warmup(warmup_steps: int, num_steps: int) -> float:
    """Return the share of a run's steps that lie in the warmup, at most 1; ValueError where an argument makes no sense."""
    _refuse_unless_positive(num_steps=num_steps)
    _refuse_negative(warmup_steps=warmup_steps)
    return min(1.0, warmup_steps / num_steps)


def _refuse_unless_positive(**values: float) -> None:
    """Raise ValueError for the first value that is not positive and finite, by its name."""
    for name, value in values.items():
        if not (math.isfinite(value) and value > 0):
            raise ValueError(f"{name} must be positive and finite, not {value}")


def _refuse_negative(**values: float) -> None:
    """Raise ValueError for the first value that is negative or not finite, by its name."""
    for name, value in values.items():
        if not (math.isfinite(value) and value >= 0):
            raise ValueError(f"{name} must be finite and not negative, not {value}")
