"""Bytes, seconds and the timeline of a step against messages counted one by one, closed forms and what must hold on any machine."""

import itertools

import numpy as np
import pytest

from largebatch import collectives
from largebatch.collectives import STRATEGIES, passes, sent_bytes, step_bytes, step_seconds, timeline

FORWARD = 0.01  # seconds a layer


# -- one collective ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_ranks", [1, 2, 3, 4, 7])
def test_ring_played_message_by_message_sends_the_bytes_and_needs_the_rounds(num_ranks):
    """Every rank cuts its tensor in N pieces; in each round it sends one piece to the next rank."""
    held = np.random.default_rng(0).standard_normal((num_ranks, num_ranks))  # [rank, piece]
    total, ranks, sent = held.sum(axis=0), np.arange(num_ranks), np.zeros(num_ranks)
    for phase in ("reduce-scatter", "all-gather"):
        for step in range(num_ranks - 1):
            piece = (ranks - step + (phase == "all-gather")) % num_ranks
            message = held[ranks, piece].copy()
            target = (ranks + 1) % num_ranks, piece
            held[target] = message + held[target] if phase == "reduce-scatter" else message
            sent += 1
        np.testing.assert_allclose(sent, num_ranks * sent_bytes(phase, 1, num_ranks) * (1 + (phase == "all-gather")))
    np.testing.assert_allclose(held, np.tile(total, (num_ranks, 1)))
    assert sent[0] / num_ranks == pytest.approx(sent_bytes("all-reduce", 1, num_ranks))
    rounds = collectives.seconds("all-reduce", 1, num_ranks, np.inf, latency=1.0)
    assert rounds == sent[0]


def test_fourteen_gigabytes_on_eight_ranks():
    assert sent_bytes("all-reduce", 14e9, 8) == pytest.approx(24.5e9)
    assert collectives.seconds("all-reduce", 14e9, 8, 300e9) == pytest.approx(0.0816667, rel=1e-5)
    assert collectives.seconds("all-reduce", 14e9, 8, 25e9) == pytest.approx(0.98)


@pytest.mark.parametrize("algorithm", ["ring", "halving-doubling"])
def test_all_reduce_is_a_reduce_scatter_and_an_all_gather(algorithm):
    machine = dict(num_bytes=4e6, num_ranks=16, bandwidth=1e9, latency=1e-4, algorithm=algorithm)
    halves = [collectives.seconds(half, **machine) for half in ("reduce-scatter", "all-gather")]
    assert sum(halves) == pytest.approx(collectives.seconds("all-reduce", **machine))


def test_halving_doubling_sends_the_same_bytes_in_fewer_messages():
    ring, halving = (
        collectives.seconds("all-reduce", 8e6, 32, 1e9, 1e-3, algorithm) for algorithm in ("ring", "halving-doubling")
    )
    assert ring == pytest.approx(62e-3 + 15.5e-3) and halving == pytest.approx(10e-3 + 15.5e-3)


def test_broadcast_passes_everything_on_once_and_the_last_rank_does_not():
    assert 4 * sent_bytes("broadcast", 100, 4) == 300
    assert collectives.seconds("broadcast", 100, 4, 50, latency=0.5) == 3 * 0.5 + 2
    assert collectives.seconds("broadcast", 100, 1, 50, latency=0.5) == 0


# -- one step ---------------------------------------------------------------------------------------------------------------------


def test_bytes_of_a_step_in_units_of_one_time_round():
    unit = 14e9 * 7 / 8
    units = {name: [round(step_bytes(name, 14e9, 8, K) / unit, 9) for K in (1, 4)] for name in STRATEGIES}
    assert units == {
        "ddp": [2, 8],
        "ddp no_sync": [2, 2],
        "zero1": [2, 2],
        "zero2": [2, 5],
        "zero3": [3, 12],
        "zero3 no_sync": [3, 9],
    }
    assert passes("zero2", 4) == {"all-gather": 1, "reduce-scatter": 4}
    assert passes("ddp") == {"all-reduce": 1}


def test_layers_share_the_bytes_of_a_step_and_each_has_its_messages():
    arguments = dict(strategy="zero3", num_bytes=1e9, num_ranks=4, bandwidth=1e9, accumulation_steps=2)
    assert step_seconds(**arguments, num_layers=10) == pytest.approx(step_seconds(**arguments))
    with_latency = step_seconds(**arguments, latency=1e-3, num_layers=10)
    assert with_latency - step_seconds(**arguments) == pytest.approx(10 * 3 * 2 * 3 * 1e-3)


# -- the timeline -----------------------------------------------------------------------------------------------------------------


def machines(strategy):
    """Yield random settings, with overlap and without."""
    rng = np.random.default_rng(0)
    for overlap in (True, False):
        for _ in range(8):
            yield dict(
                strategy=strategy, num_layers=int(rng.integers(1, 6)), layer_bytes=1e9, layer_seconds=FORWARD,
                num_ranks=int(rng.integers(2, 9)), bandwidth=10 ** rng.uniform(9.5, 12), latency=rng.uniform(0, 2e-3),
                accumulation_steps=int(rng.integers(1, 5)), overlap=overlap,
            )  # fmt: skip


def when(step, kind, layer, micro_batch, which="start"):
    """Return the times of all such events, in order."""
    chosen = (step.kind == kind) & (step.layer == layer) & (step.micro_batch == micro_batch)
    return getattr(step, which)[chosen]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_any_step_does_all_its_work_in_a_possible_order(strategy):
    for machine in machines(strategy):
        step = timeline(**machine)
        size = {
            name: machine[name] for name in ("num_ranks", "bandwidth", "latency", "accumulation_steps", "num_layers")
        }
        layers, micro_batches = machine["num_layers"], machine["accumulation_steps"]
        assert step.compute_seconds == pytest.approx(3 * FORWARD * layers * micro_batches)
        alone = step_seconds(machine["strategy"], layers * machine["layer_bytes"], **size)
        assert step.communication_seconds == pytest.approx(alone)
        for stream in (step.computes, ~step.computes):
            assert np.all(step.start[stream][1:] >= step.end[stream][:-1] - 1e-12), "one thing at a time on a stream"
        reduction = STRATEGIES[machine["strategy"]].reduction
        for layer, micro_batch in itertools.product(range(layers), range(micro_batches)):
            (forward,), (backward,) = (when(step, kind, layer, micro_batch) for kind in ("forward", "backward"))
            assert forward < backward
            gathered, reduced = (when(step, kind, layer, micro_batch) for kind in ("all-gather", reduction))
            assert np.all(reduced >= when(step, "backward", layer, micro_batch, "end")), (
                "a gradient is sent after its backward pass"
            )
            arrived = when(step, "all-gather", layer, micro_batch, "end")
            assert all(time <= needed + 1e-12 for time, needed in zip(arrived, (forward, backward), strict=False))
            if len(gathered) == 2:
                assert gathered[1] >= forward, "the parameters for the backward pass come a second time"
            if reduced.size and layer and micro_batch + 1 < micro_batches:
                assert when(step, "forward", 0, micro_batch + 1) >= when(step, reduction, layer, micro_batch, "end")
        assert max(step.compute_seconds, alone) <= step.seconds + 1e-12
        assert step.seconds <= step.compute_seconds + alone + 1e-12
        starts, ends = np.append(step.start[step.computes], step.seconds), np.append(0, step.end[step.computes])
        assert step.exposed_seconds == pytest.approx((starts - ends).sum()), "the gaps between computations"
        if not machine["overlap"]:
            assert step.exposed_seconds == pytest.approx(alone)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_faster_network_never_makes_a_step_longer(strategy):
    for machine in machines(strategy):
        times = [timeline(**machine | {"bandwidth": bandwidth}).seconds for bandwidth in 10.0 ** np.arange(8, 14, 0.5)]
        assert np.all(np.diff(times) <= 1e-12)
        free = timeline(**machine | {"bandwidth": np.inf, "latency": 0.0})
        assert free.exposed_seconds == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("share", [0.2, 0.9, 1.0, 1.1, 3.0])
def test_exposed_time_of_ddp_is_the_longer_of_two_tails(share):
    """The last all-reduce always sticks out; if each takes longer than a layer's backward pass, they queue up."""
    backward = 2 * FORWARD
    send = share * backward
    step = timeline("ddp", 6, 1.0, FORWARD, 2, bandwidth=1 / send)
    assert step.exposed_seconds == pytest.approx(max(send, 6 * send - 5 * backward))


def test_no_sync_exposes_the_communication_of_one_micro_batch():
    machine = dict(num_layers=4, layer_bytes=1e9, layer_seconds=FORWARD, num_ranks=8, bandwidth=2e10)
    once = timeline("ddp", **machine)
    each, late = (timeline(name, **machine, accumulation_steps=5) for name in ("ddp", "ddp no_sync"))
    assert each.seconds == pytest.approx(5 * once.seconds)
    assert set(late.micro_batch[~late.computes]) == {4}, "the last one"
    assert late.seconds == pytest.approx(once.seconds + 4 * once.compute_seconds)


def test_zero3_by_hand():
    """Two layers, forward pass 1 and backward pass 2, each collective 2 (in which unit does not matter)."""
    step = timeline("zero3", 2, 1.0, 1.0, 2, bandwidth=0.25)
    events = list(zip(step.kind, step.layer, step.start, step.end, strict=True))
    assert events == [
        ("all-gather", 0, 0, 2),
        ("forward", 0, 2, 3),
        ("all-gather", 1, 2, 4),  # asked for when layer 0 began
        ("forward", 1, 4, 5),
        ("all-gather", 1, 4, 6),  # a second time, for the backward pass
        ("backward", 1, 6, 8),
        ("all-gather", 0, 6, 8),
        ("reduce-scatter", 1, 8, 10),
        ("backward", 0, 8, 10),
        ("reduce-scatter", 0, 10, 12),
    ]
    for send, total in ((0.5, 7), (2, 12), (3, 18)):
        assert timeline("zero3", 2, 1.0, 1.0, 2, bandwidth=0.5 / send).seconds == pytest.approx(total)


def test_a_whole_number_may_be_a_float():
    assert timeline("zero3", 2.0, 1e9, FORWARD, 2.0, 1e9, accumulation_steps=3.0).compute_seconds == pytest.approx(0.18)


def test_one_rank_sends_nothing():
    step = timeline("zero3", 3, 1e9, FORWARD, 1, 1e9, latency=1.0)
    assert step.communication_seconds == step.exposed_seconds == 0 and step.computes.all()
    assert step_bytes("zero3", 1e9, 1) == step_seconds("ddp", 1e9, 1, 1e9, latency=1.0) == 0


# -- bad input --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: sent_bytes("all-to-none", 1, 2), "no collective is called 'all-to-none'; there are all-reduce"),
        (lambda: sent_bytes("all-reduce", 0, 2), "num_bytes must be positive, not 0"),
        (lambda: sent_bytes("all-reduce", 1, 0), "num_ranks must be a whole number from 1 on, not 0"),
        (lambda: sent_bytes("all-reduce", 1, 2.5), "num_ranks must be a whole number"),
        (lambda: collectives.seconds("all-reduce", 1, 2, 0), "bandwidth must be positive"),
        (lambda: collectives.seconds("all-reduce", 1, 2, 1, -1), "latency must not be negative"),
        (lambda: collectives.seconds("all-reduce", 1, 2, 1, float("nan")), "latency must not be negative, as nan is"),
        (lambda: collectives.seconds("all-reduce", 1, 6, 1, 0, "halving-doubling"), "power of two ranks, not for all-r"),
        (lambda: collectives.seconds("broadcast", 1, 8, 1, 0, "halving-doubling"), "not for broadcast on 8; take the r"),
        (lambda: collectives.seconds("all-reduce", 1, 1, 1, 0, "tree"), "no algorithm is called 'tree'"),
        (lambda: step_bytes("zero4", 1, 2), "no strategy is called 'zero4'; there are ddp, ddp no_sync, zero1"),
        (lambda: step_bytes("ddp", 1, 2, 0), "accumulation_steps must be a whole number from 1 on, not 0"),
        (lambda: step_seconds("ddp", 1, 2, 1, num_layers=0), "num_layers must be a whole number"),
        (lambda: timeline("ddp", 1, 1, 0, 2, 1), "layer_seconds must be positive, not 0"),
        (lambda: timeline("zero9", 1, 1, 1, 2, 1), "no strategy is called 'zero9'"),
        (lambda: timeline("ddp", 2, 1, 1, 2, float("nan")), "bandwidth must be positive, not nan"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_words(call, says):
    with pytest.raises(ValueError, match=says):
        call()
