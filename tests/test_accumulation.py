"""Averages over ragged micro-batches against the concatenated tokens."""

import numpy as np

from largebatch.accumulation import mean_of_means, token_mean


def test_both_means_equal_their_definitions_on_the_tokens_themselves():
    rng = np.random.default_rng(0)
    pieces = [rng.gamma(2.0, size=length) for length in (900, 100, 1, 37)]
    num_tokens, means = np.array([piece.size for piece in pieces]), np.array([piece.mean() for piece in pieces])
    assert np.isclose(token_mean(num_tokens, means), np.concatenate(pieces).mean())
    assert np.isclose(mean_of_means(means), np.mean(means))


def test_they_agree_where_all_micro_batches_are_equal():
    means = np.random.default_rng(1).gamma(2.0, size=(5, 8))
    assert np.allclose(token_mean(np.full((5, 8), 64), means), mean_of_means(means))
