"""Plans for a global batch against brute force."""

import pytest

from largebatch.batch import BatchPlan, plans


@pytest.mark.parametrize(("global_batch", "num_ranks"), [(128, 8), (128, 6), (1, 1), (4, 8), (360, 5), (97, 1)])
def test_plans_are_exactly_those_that_brute_force_finds(global_batch, num_ranks):
    sizes = range(1, global_batch + 1)
    expected = [(b, k) for b in sizes for k in sizes if num_ranks * b * k == global_batch]
    assert [(plan.micro_batch, plan.accumulation_steps) for plan in plans(global_batch, num_ranks)] == expected


def test_every_plan_makes_up_the_global_batch():
    assert {plan.global_batch for plan in plans(1024, 16)} == {1024}
    assert BatchPlan(8, 2, 128).global_batch == 2048


@pytest.mark.parametrize(("global_batch", "num_ranks"), [(0, 8), (-8, 8), (8, 0), (8, -1)])
def test_what_makes_no_sense_has_no_plan(global_batch, num_ranks):
    assert plans(global_batch, num_ranks) == []
