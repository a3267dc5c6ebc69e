"""The memory formulas against published figures, lists of tensors and counted bytes; what a rank holds against what was put there."""

import itertools
import math
import subprocess
import sys

import numpy as np
import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.utils.checkpoint import checkpoint

from largebatch import ranks
from largebatch.activations import saved_bytes
from largebatch.memory import (
    CONVENTIONS,
    RECOMPUTATIONS,
    ModelState,
    activation_bytes,
    held_bytes,
    logit_bytes,
    model_state_bytes,
    offloaded,
)
from largebatch.transformer import blocks

STAGES = (0, 1, 2, 3)

# -- model states ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("num_params", "num_ranks", "convention", "gigabytes"),
    [
        (7.5e9, 64, "ZeRO paper", (120, 31.4, 16.6, 1.88)),  # figure 1 of the paper
        (7e9, 8, "ZeRO paper", (112, 38.5, 26.25, 14)),
        (7e9, 8, "fp32", (112, 63, 38.5, 14)),
        (7e9, 8, "Megatron", (126, 7 * (6 + 12 / 8), 28, 15.75)),  # its documentation: 6 + 12/d
        (
            2.851e9,
            8,
            "DeepSpeed",
            (57.02, 2.851 * (4 + 16 / 8), 11.28 * 2**30 / 1e9, 7.1275),
        ),  # its estimator: 11.28 GiB
        (13e9, 4, "ZeRO paper", (208, 91, 71.5, 52)),
        (13e9, 4, "Megatron", (234, 117, 78, 58.5)),
    ],
)
def test_published_totals(num_params, num_ranks, convention, gigabytes):
    totals = [model_state_bytes(num_params, stage, num_ranks, convention).total / 1e9 for stage in STAGES]
    assert totals == pytest.approx(gigabytes, rel=3e-3)


def test_parts_by_hand():
    parts = [tuple(model_state_bytes(10, stage, 4, "Megatron")) for stage in STAGES]
    assert parts == [(20, 40, 120), (20, 40, 30), (20, 10, 30), (5, 10, 30)]
    assert model_state_bytes(10, 1, 4) == ModelState(20, 20, 30), "the ZeRO paper's convention is the default"


def test_conventions_cover_the_counts_in_use_and_say_who_counts_so():
    totals = {name: convention.total for name, convention in CONVENTIONS.items()}
    assert sorted(totals.values()) == [8, 10, 14, 16, 16, 18, 20]
    assert (totals["ZeRO paper"], totals["Megatron"], totals["DeepSpeed"], totals["pure bf16"]) == (16, 18, 20, 8)
    assert CONVENTIONS["bf16 moments"].optimizer == 4 + 2 + 2, "32-bit copy, m and v"
    assert all(len(convention.source) > 30 for convention in CONVENTIONS.values())


def test_invariants_of_random_configurations():
    rng = np.random.default_rng(0)
    for name, convention in CONVENTIONS.items():
        for _ in range(40):
            num_params, num_ranks = int(rng.integers(1, 10**12)), int(rng.integers(2, 2000))
            states = [model_state_bytes(num_params, stage, num_ranks, name) for stage in STAGES]
            for state, more_ranks in zip(
                states, (model_state_bytes(num_params, stage, num_ranks + 1, name) for stage in STAGES), strict=True
            ):
                assert state.total == pytest.approx(sum(state)) and more_ranks.total <= state.total
                for part, size in zip(state, convention[:3], strict=True):
                    whole = num_params * size
                    assert whole * (1 - 1e-12) <= num_ranks * part <= num_ranks * whole
                    assert part == pytest.approx(whole) or num_ranks * part == pytest.approx(whole)
            assert all(later.total < earlier.total for earlier, later in itertools.pairwise(states))
            assert num_ranks * states[3].total == pytest.approx(states[0].total)
            alone = {model_state_bytes(num_params, stage, 1, name) for stage in STAGES}
            assert alone == {states[0]}, "one rank holds everything at any stage"


def test_limits_of_many_ranks():
    limits = [model_state_bytes(1.0, stage, 10**12).total for stage in STAGES]
    assert limits == pytest.approx([16, 4, 2, 0], abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((0, 1, 2), "num_params"),
        ((-7e9, 1, 2), "num_params"),
        ((math.nan, 1, 2), "num_params"),
        ((math.inf, 1, 2), "num_params"),
        ((7e9, 1, 0), "num_ranks"),
        ((7e9, 1, 2.5), "num_ranks"),
        ((7e9, 4, 2), "zero_stage"),
        ((7e9, "3", 2), "zero_stage"),
        ((7e9, 1, 2, "mine"), "convention"),
    ],
)
def test_bad_input_is_named(arguments, name):
    with pytest.raises(ValueError, match=f"^{name} "):
        model_state_bytes(*arguments)


def test_offload_moves_parts_to_the_host():
    state = model_state_bytes(13e9, 3, 4)
    gpu, host = offloaded(state, 4)
    assert (gpu.total, host) == pytest.approx((13e9, 156e9))
    gpu, host = offloaded(state, 4, ("gradients", "optimizer"))
    assert (*gpu, host) == pytest.approx((6.5e9, 0, 0, 182e9))
    gpu, host = offloaded(model_state_bytes(13e9, 3, 4, "DeepSpeed"), 2)
    assert (gpu.total, host) == pytest.approx((13e9, 2 * 52e9)), "two of the four ranks are on this host"
    assert offloaded(state, 4, ("optimizer", "optimizer")) == offloaded(state, 4)
    for arguments, name in (((state, 0), "ranks_on_host"), ((state, 4, ("master copy",)), "parts")):
        with pytest.raises(ValueError, match=f"^{name} "):
            offloaded(*arguments)


# -- activations -----------------------------------------------------------------------------------------------------------------


def test_activations_of_a_seven_billion_model():
    layer = {recompute: activation_bytes(1, 2048, 4096, 32, recompute) for recompute in RECOMPUTATIONS}
    assert layer == {"none": 2048 * 4096 * (34 + 80), "selective": 2048 * 4096 * 34, "full": 2048 * 4096 * 2}
    assert [32 * layer[recompute] / 1e9 for recompute in RECOMPUTATIONS] == pytest.approx([30.6, 9.13, 0.537], rel=1e-3)
    assert logit_bytes(2048, 32_000) == 655_360_000


@pytest.mark.parametrize("size", [1, 2, 4])
def test_activations_are_those_of_a_list_of_tensors(size):
    """Each tensor of a GPT layer with dropout, as in section 4.1 of the paper, b = 3, s = 5, h = 8, a = 2."""
    b, s, h, a = 3, 5, 8, 2
    token, pair = b * s * h, a * b * s * s
    attention = [size * token] * 5 + [token]  # input, queries, keys, values, input of the projection; mask
    core = [size * pair, pair, size * pair]  # softmax, mask, what the mask leaves
    mlp = [size * token, 4 * size * token, 4 * size * token, token]
    norms = [size * token] * 2
    kept = activation_bytes(b, s, h, a, "selective", bytes_per_number=size)
    assert kept == sum(attention + mlp + norms)
    assert activation_bytes(b, s, h, a, bytes_per_number=size) == kept + sum(core)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_activations_without_dropout_are_those_counted(dtype):
    """Counted are also two numbers a token for each of the two layer norms."""
    model = blocks(1, 32, 4, 16).to(dtype)
    x = torch.randn(3, 16, 32, dtype=dtype)
    expected = activation_bytes(3, 16, 32, 4, dropout=False, bytes_per_number=dtype.itemsize)
    assert saved_bytes(model, x) == expected + 2 * 2 * 48 * dtype.itemsize
    again = nn.Module()
    again.forward = lambda x: checkpoint(model, checkpoint(model, x, use_reentrant=False), use_reentrant=False)
    counted = saved_bytes(again, x.requires_grad_())
    assert counted == 2 * activation_bytes(3, 16, 32, 4, "full", dropout=False, bytes_per_number=dtype.itemsize)


def test_bad_sizes_of_activations_are_named():
    for arguments, name in (
        ((0, 1, 1, 1), "sequences"),
        ((1, 1.5, 1, 1), "sequence_length"),
        ((1, 1, -1, 1), "width"),
        ((1, 1, 1, 0), "heads"),
        ((1, 1, 1, 1, "flash"), "recompute"),
        ((1, 1, 1, 1, "none", True, 0), "bytes_per_number"),
    ):
        with pytest.raises(ValueError, match=f"^{name} "):
            activation_bytes(*arguments)
    with pytest.raises(ValueError, match=r"^vocabulary "):
        logit_bytes(1, 0)


# -- what is held ----------------------------------------------------------------------------------------------------------------


def trained(model: nn.Module, optimizer: torch.optim.Optimizer) -> ModelState:
    """Make one step on ones and return what is held."""
    model(torch.ones(2, 6)).sum().backward()
    optimizer.step()
    return held_bytes(model, optimizer)


def test_held_bytes_of_adam_and_of_sgd():
    for make_optimizer, state in ((torch.optim.AdamW, 2 * 28 * 4 + 2 * 4), (torch.optim.SGD, 0)):
        linear = nn.Linear(6, 4)
        optimizer = make_optimizer(linear.parameters())
        assert held_bytes(linear, optimizer) == (112, 0, 0), "before the first step"
        assert trained(linear, optimizer) == (112, 112, state)
        optimizer.zero_grad()
        assert held_bytes(linear, optimizer) == (112, 0, state)


def test_tied_parameters_are_held_once_and_frozen_ones_have_no_state():
    first, second, third = (nn.Linear(6, 6, bias=False) for _ in range(3))
    second.weight = first.weight
    third.weight.requires_grad_(False)
    model = nn.Sequential(first, second, third)
    assert trained(model, torch.optim.AdamW(model.parameters())) == (2 * 144, 144, 2 * 144 + 4)


def test_views_of_one_storage_are_held_once():
    linear, flat = nn.Linear(6, 4, bias=False), torch.zeros(30)  # six numbers of padding
    linear.weight.data = flat[:24].view(4, 6)
    assert held_bytes(linear, torch.optim.SGD(linear.parameters())) == (120, 0, 0)


def test_a_copy_that_the_optimizer_updates_is_its_own():
    linear = nn.Linear(6, 4, bias=False).bfloat16()
    master = linear.weight.detach().float()
    master.grad = torch.ones_like(master)
    optimizer = torch.optim.AdamW([master])
    optimizer.step()
    assert held_bytes(linear, optimizer) == (48, 96, 3 * 96 + 4)


def test_what_has_no_memory_is_counted_too():
    with torch.device("meta"):
        model = nn.Sequential(nn.Linear(6, 4), nn.Linear(4, 6))
    assert held_bytes(model, torch.optim.SGD(model.parameters())).parameters == (28 + 30) * 4


def sharded_worker() -> tuple[ModelState, ModelState, ModelState]:
    """Return what this rank holds at ZeRO stages 1, 2 (between forward and backward pass) and 3."""
    one = blocks(1, 6, 2, 2)
    held = [trained_blocks(one, ZeroRedundancyOptimizer(one.parameters(), torch.optim.AdamW))]
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    two = fully_shard(blocks(1, 6, 2, 2), mp_policy=policy, reshard_after_forward=False)
    optimizer = torch.optim.AdamW(two.parameters())
    trained_blocks(two, optimizer)
    two(torch.ones(1, 2, 6))
    held.append(held_bytes(two, optimizer))
    three = fully_shard(blocks(1, 6, 2, 2), reshard_after_forward=True)
    return *held, trained_blocks(three, torch.optim.AdamW(three.parameters()))


def trained_blocks(model: nn.Module, optimizer: torch.optim.Optimizer) -> ModelState:
    """Make one step and return what is held."""
    for parameter in model.parameters():
        assert dist.get_world_size() == 2 and parameter.requires_grad
    model(torch.ones(1, 2, 6)).float().sum().backward()
    optimizer.step()
    return held_bytes(model, optimizer)


def test_held_bytes_on_two_ranks_are_those_of_the_formula():
    block = list(blocks(1, 6, 2, 2).parameters())
    num_params, counters = sum(parameter.numel() for parameter in block), 4 * len(block)
    one, two, three = zip(*ranks.run(sharded_worker, 2), strict=True)
    mean_optimizer = sum(state.optimizer for state in one) / 2
    expected = model_state_bytes(num_params, 1, 2, "fp32")
    assert {state[:2] for state in one} == {expected[:2]} and mean_optimizer == expected.optimizer + counters / 2
    for states, stage, convention in ((two, 2, "Megatron"), (three, 3, "fp32")):
        expected = model_state_bytes(num_params, stage, 2, convention)
        assert set(states) == {expected._replace(optimizer=expected.optimizer + counters)}


def test_pytorch_is_not_imported():
    program = "import sys, largebatch.memory; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
