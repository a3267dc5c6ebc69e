"""Warmup schedules against PyTorch's scheduler, brute force and published numbers."""

import math
import warnings

import numpy as np
import pytest
import torch

from largebatch.schedules import share_in_warmup, steps_for, warmup_area, warmup_rates

CASES = [(1, 1), (5, 8), (8, 8), (9, 8), (300, 64), (40, 1), (12, 0)]  # steps, warmup steps


def rates_of_torch(num_steps: int, peak_rate: float, warmup_steps: int) -> list[float]:
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=peak_rate)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, (step + 1) / warmup_steps))
    used = []
    for _ in range(num_steps):
        used.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return used


@pytest.mark.parametrize(("num_steps", "warmup_steps"), [case for case in CASES if case[1]])
def test_rates_are_those_of_torch(num_steps, warmup_steps):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected = rates_of_torch(num_steps, 0.3, warmup_steps)
    assert warmup_rates(num_steps, 0.3, warmup_steps) == pytest.approx(expected)


def test_no_warmup_is_the_peak_from_the_first_step():
    assert warmup_rates(4, 0.3, 0).tolist() == [0.3] * 4


@pytest.mark.parametrize(("num_steps", "warmup_steps"), CASES)
def test_area_is_the_sum_of_the_rates(num_steps, warmup_steps):
    assert warmup_area(num_steps, 0.3, warmup_steps) == pytest.approx(warmup_rates(num_steps, 0.3, warmup_steps).sum())


def test_area_inside_the_ramp_depends_only_on_its_slope():
    areas = {warmup_area(110, 0.05 * factor, 5 * factor) for factor in (32, 64, 128)}
    assert max(areas) == pytest.approx(min(areas)) == pytest.approx(0.05 / 10 * 110 * 111)


def test_five_epochs_of_imagenet_at_8192():
    """Goyal et al. 2017: 5 of 90 epochs at a batch of 8192."""
    warmup_steps = steps_for(5 * 1_281_167, 8192)
    assert warmup_steps == 782
    assert share_in_warmup(warmup_steps, steps_for(90 * 1_281_167, 8192)) == pytest.approx(5 / 90, rel=1e-3)


@pytest.mark.parametrize(
    ("num_examples", "global_batch", "steps"), [(1, 32, 1), (32, 32, 1), (33, 32, 2), (64.5, 32, 3)]
)
def test_steps_are_whole_and_rounded_up(num_examples, global_batch, steps):
    assert steps_for(num_examples, global_batch) == steps
    assert isinstance(steps_for(num_examples, global_batch), int)


def test_a_warmup_longer_than_the_run_takes_all_of_it():
    assert share_in_warmup(500, 100) == 1.0
    assert share_in_warmup(0, 100) == 0.0


@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf])
def test_what_is_not_positive_and_finite_is_refused(bad):
    for call in (
        lambda: warmup_rates(bad, 0.1, 5),
        lambda: warmup_rates(10, bad, 5),
        lambda: warmup_area(bad, 0.1, 5),
        lambda: warmup_area(10, bad, 5),
        lambda: steps_for(bad, 32),
        lambda: steps_for(100, bad),
        lambda: share_in_warmup(5, bad),
    ):
        with pytest.raises(ValueError, match="must be positive and finite"):
            call()


@pytest.mark.parametrize("bad", [-1, math.nan, math.inf])
def test_a_warmup_that_is_negative_or_endless_is_refused(bad):
    for call in (
        lambda: warmup_rates(10, 0.1, bad),
        lambda: warmup_area(10, 0.1, bad),
        lambda: share_in_warmup(bad, 10),
    ):
        with pytest.raises(ValueError, match="warmup_steps must be finite and not negative"):
            call()


def test_rates_are_an_array_of_the_length_that_was_asked_for():
    assert isinstance(warmup_rates(7, 0.1, 3), np.ndarray) and warmup_rates(7, 0.1, 3).shape == (7,)
