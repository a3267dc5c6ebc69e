"""Averages over micro-batches that hold different numbers of tokens."""

import numpy as np


def mean_of_means(mean_losses: np.ndarray) -> np.ndarray:
    """Return the plain mean over micro-batches (last axis), which counts every micro-batch alike, whatever it holds."""
    return mean_losses.mean(axis=-1)


def token_mean(num_tokens: np.ndarray, mean_losses: np.ndarray) -> np.ndarray:
    """Return the mean over all tokens of all micro-batches (last axis), which is the loss of the one big batch."""
    return (num_tokens * mean_losses).sum(axis=-1) / num_tokens.sum(axis=-1)
