"""Time against data: each formula against a search by brute force, the law it comes from, and numbers worked out by hand."""

import inspect

import numpy as np
import pytest

from largebatch import tradeoff
from largebatch.tradeoff import balanced_gpus, best_batch, best_seconds, run_seconds, steps_needed, tokens_needed

FUNCTIONS = [tokens_needed, steps_needed, run_seconds, best_batch, best_seconds, balanced_gpus]
NUMBERS = {
    "num_gpus": 48,
    "batch": 3e5,
    "min_tokens": 2e10,
    "critical_batch": 1.5e6,
    "seconds_per_token": 1e-4,
    "step_overhead": 0.3,
}


def arguments(function, **others) -> dict:
    """Return what a function takes, from NUMBERS."""
    return {name: (NUMBERS | others)[name] for name in inspect.signature(function).parameters}


def test_two_hundred_thousand_examples_by_hand():
    """64 examples a worker take 200 ms and the all-reduce 50 ms; the critical batch is 2048 examples."""
    workers = np.array([8, 16, 32, 64, 128, 256])
    seconds = run_seconds(workers, 64 * workers, 2e5, 2048, 0.2 / 64, 0.05)
    assert seconds == pytest.approx([122.07, 73.24, 48.83, 36.62, 30.52, 27.47], abs=0.01)
    assert tokens_needed(2048, 2e5, 2048) == 4e5 and steps_needed(2048, 2e5, 2048) == 4e5 / 2048


def test_steps_and_tokens_keep_the_law():
    batch = np.geomspace(1, 1e6, 50)
    tokens, steps = tokens_needed(batch, 3e4, 700), steps_needed(batch, 3e4, 700)
    np.testing.assert_allclose((tokens / 3e4 - 1) * (steps / (3e4 / 700) - 1), 1)
    np.testing.assert_allclose(tokens, batch * steps)


def slowest_search(num_gpus, min_tokens, critical_batch, seconds_per_token, step_overhead) -> tuple[float, float]:
    """Return the best batch and its seconds, of many batches tried."""
    batch = np.geomspace(critical_batch / 1e5, critical_batch * 1e5, 100_001)
    steps = min_tokens / critical_batch + min_tokens / batch
    seconds = steps * (seconds_per_token * batch / num_gpus + step_overhead)
    return batch[seconds.argmin()], seconds.min()


def test_best_batch_is_the_best_of_all():
    rng = np.random.default_rng(0)
    for _ in range(20):
        machine = dict(zip(NUMBERS, 10 ** rng.uniform([0, 3, 9, 5, -6, -3], [4, 6, 12, 7, -3, 1]), strict=True))
        batch, seconds = slowest_search(**{name: value for name, value in machine.items() if name != "batch"})
        assert best_batch(**arguments(best_batch, **machine)) == pytest.approx(batch, rel=2e-3)
        assert best_seconds(**arguments(best_seconds, **machine)) == pytest.approx(seconds, rel=1e-6)
        machine["batch"] = best_batch(**arguments(best_batch, **machine))
        assert run_seconds(**machine) == pytest.approx(seconds, rel=1e-6)


def test_where_the_floor_and_the_ceiling_meet():
    costs = {name: NUMBERS[name] for name in ("critical_batch", "seconds_per_token", "step_overhead")}
    num_gpus, min_tokens = balanced_gpus(**costs), NUMBERS["min_tokens"]
    assert num_gpus == pytest.approx(1.5e6 * 1e-4 / 0.3)
    assert best_batch(num_gpus, **costs) == pytest.approx(costs["critical_batch"])
    floor, least = 0.3 * min_tokens / 1.5e6, 1e-4 * min_tokens
    assert best_seconds(num_gpus, min_tokens, **costs) == pytest.approx(4 * floor)
    assert num_gpus * best_seconds(num_gpus, min_tokens, **costs) == pytest.approx(4 * least)
    many = best_seconds(np.geomspace(1, 1e12, 13), min_tokens, **costs)
    assert np.all(np.diff(many) < 0) and floor < many[-1] < 1.001 * floor
    assert best_seconds(1e-9, min_tokens, **costs) * 1e-9 == pytest.approx(least, rel=1e-3), "few GPUs cost least"


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_what_is_not_positive_is_refused_by_name(function):
    right = arguments(function)
    assert function(**right) > 0
    for name in right:
        for value in (0, -1.0, float("nan"), np.array([1.0, 0.0])):
            with pytest.raises(ValueError, match=f"{name} must be positive"):
                function(**right | {name: value})


def test_every_function_takes_arrays():
    for function in FUNCTIONS:
        for name, value in arguments(function).items():
            several = function(**arguments(function, **{name: np.array([value, 2 * value])}))
            single = [function(**arguments(function, **{name: each})) for each in (value, 2 * value)]
            np.testing.assert_allclose(several, single)
    public = [value for value in vars(tradeoff).values() if getattr(value, "__module__", "") == tradeoff.__name__]
    assert public == FUNCTIONS
