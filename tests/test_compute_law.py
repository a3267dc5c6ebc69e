"""What a run computes, counted matrix by matrix; the loss law against a search by brute force; and published figures."""

import numpy as np
import pytest

from largebatch.compute_law import (
    BESIROGLU,
    HOFFMANN,
    LossLaw,
    attention_share,
    batch_at_twenty_percent,
    recomputed_share,
    training_flops,
)

LAWS = {"Hoffmann": HOFFMANN, "Besiroglu": BESIROGLU}


@pytest.fixture(params=LAWS)
def law(request) -> LossLaw:
    return LAWS[request.param]


# -- operations ------------------------------------------------------------------------------------------------------------------


def layer_operations(length: int, width: int) -> tuple[int, int]:
    """Return the operations of a layer's forward pass over one sequence: in its weights, and between its tokens.

    A product of an n × k and a k × m matrix takes 2nkm.
    """
    sizes = [(width, width)] * 4 + [(width, 4 * width), (4 * width, width)]  # query, key, value, output; MLP
    return sum(2 * length * rows * columns for rows, columns in sizes), 2 * (2 * length * width * length)


@pytest.mark.parametrize(("length", "width"), [(2048, 4096), (8192, 4096), (128, 256)])
def test_operations_are_those_of_the_matrices(length, width):
    weights, between = layer_operations(length, width)
    attention = attention_share(length, width)
    assert attention == pytest.approx(between / weights)
    forward = weights + between
    assert training_flops(12 * width**2, length, attention) == pytest.approx(3 * forward)
    assert training_flops(12 * width**2, length) == pytest.approx(3 * weights)
    assert recomputed_share("none", attention) == 0
    assert recomputed_share("full", attention) == pytest.approx(forward / (3 * forward))
    assert recomputed_share("selective", attention) == pytest.approx(between / (3 * forward))


def test_published_operations():
    assert training_flops(7e9, 140e9) == pytest.approx(5.88e21)
    assert training_flops(175e9, 300e9) == pytest.approx(3.15e23)  # GPT-3; its paper, table D.1: 3.14e23
    assert attention_share(2048, 4096) == pytest.approx(0.0833, abs=1e-4)
    assert attention_share(8192, 4096) == pytest.approx(1 / 3)


def test_unknown_recomputation_is_refused():
    with pytest.raises(ValueError, match="recompute is none, selective or full, not 'some'"):
        recomputed_share("some", 0.1)


# -- loss ------------------------------------------------------------------------------------------------------------------------


def test_constants_are_the_published_ones():
    assert LossLaw(1.69, 406.4, 410.7, 0.34, 0.28) == HOFFMANN
    assert LossLaw(1.82, 482, 2085, 0.348, 0.366) == BESIROGLU


def test_loss_by_hand():
    assert HOFFMANN.loss(1e10, 1e10) == pytest.approx(1.69 + 406.4 / 10**3.4 + 410.7 / 10**2.8)
    assert LossLaw(1, 2, 3, 1, 0.5).loss(4, np.array([9, 36])) == pytest.approx([2.5, 2.0])
    assert LossLaw(1, 2, 3, 1, 0.5).loss(10**10, 10**19) == pytest.approx(1), "whole numbers of any size"


@pytest.mark.parametrize("flops", [1e18, 5.76e23, 1e27])
def test_optimal_model_has_the_lowest_loss_of_its_budget(law, flops):
    num_params = np.geomspace(1e6, 1e15, 200_001)
    losses = law.loss(num_params, flops / 6 / num_params)
    best = num_params[losses.argmin()]
    assert law.optimal(flops) == pytest.approx((best, flops / 6 / best), rel=2e-4)


def test_budget_of_chinchilla_under_both_fits():
    num_params, tokens = HOFFMANN.optimal(5.76e23)
    assert num_params == pytest.approx(32e9, rel=0.02) and tokens / num_params == pytest.approx(93, rel=0.01)
    num_params, tokens = BESIROGLU.optimal(5.76e23)
    assert num_params == pytest.approx(72e9, rel=0.01) and tokens / num_params == pytest.approx(18.4, rel=0.01)
    sizes, _ = BESIROGLU.optimal(np.array([1e20, 1e22]))
    assert sizes[1] / sizes[0] == pytest.approx(100 ** (0.366 / 0.714))


def test_tokens_for_a_loss_come_to_it(law):
    num_params, tokens = np.array([1e9, 7e9, 70e9]), np.array([2e10, 1e12, 3e11])
    np.testing.assert_allclose(law.tokens_for(law.loss(num_params, tokens), num_params), tokens, rtol=1e-9)


@pytest.mark.filterwarnings("error")
def test_a_model_that_is_too_small_never_comes_to_the_loss(law):
    limit = law.irreducible + law.params_scale * 1e9**-law.params_exponent
    assert law.tokens_for(limit + 1e-3, 1e9) < np.inf
    np.testing.assert_array_equal(law.tokens_for(np.array([limit - 1e-3, 0.5]), 1e9), np.inf)


# -- the critical batch ----------------------------------------------------------------------------------------------------------


def test_batch_that_costs_a_fifth_more_is_the_published_one():
    sequences = batch_at_twenty_percent(3.02e9) / 512
    assert 985 <= sequences <= 991
    assert sequences == pytest.approx(93.2 * 151**0.47, rel=0.01)  # the same paper's fit by parameters, 151 million
    batches = batch_at_twenty_percent(np.array([300e9, 1e12, 15e12]))
    assert batches == pytest.approx([4.4e6, 7.8e6, 28e6], rel=0.02)


@pytest.mark.parametrize("value", [0, -1.0, float("nan")])
def test_what_is_not_positive_is_refused(value):
    calls = {
        "num_params": [lambda: HOFFMANN.loss(value, 1e9), lambda: HOFFMANN.tokens_for(2.5, value)],
        "tokens": [lambda: HOFFMANN.loss(1e9, value), lambda: batch_at_twenty_percent(value)],
        "loss": [lambda: HOFFMANN.tokens_for(value, 1e9)],
        "flops": [lambda: HOFFMANN.optimal(value)],
        "width": [lambda: attention_share(2048, value)],
        "sequence_length": [lambda: attention_share(value, 4096)],
    }
    calls["num_params"].append(lambda: training_flops(value, 1e9))
    calls["tokens"].append(lambda: training_flops(1e9, value))
    for name, each in calls.items():
        for call in each:
            with pytest.raises(ValueError, match=f"{name} must be positive"):
                call()
