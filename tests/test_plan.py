"""Plans: each number of one by other formulas, the search against all choices there are, and what is said where no plan keeps the limits."""

import importlib
import math
import re
import subprocess
import sys
from dataclasses import asdict, replace

import numpy as np
import pytest
from conftest import ROOT

from largebatch import published
from largebatch.brief import Brief, BriefError, Cluster, Known, Limits, Model, numbers, parse, read
from largebatch.choice import (
    STRATEGIES,
    Choice,
    Plan,
    memory,
    objections,
    outcome,
    rate_for,
    timeline_seconds,
    warmup_for,
)
from largebatch.collectives import timeline
from largebatch.memory import RECOMPUTATIONS, activation_bytes, logit_bytes, peak_activation_bytes
from largebatch.plan import (
    Impossible,
    binding,
    exceeded,
    gpu_counts,
    main,
    nearest,
    plan,
    plans,
    plans_on,
    relaxed,
    report,
    round_counts,
    ways,
)

EXAMPLE = read(ROOT / "examples" / "brief.yaml")
FREE = replace(EXAMPLE, limits=Limits())
FITS = outcome(EXAMPLE, Choice(32, 1, "selective", 4, 2, 1.5e-4, 716))  # a batch of 524 288 tokens, as the known run


def with_cluster(brief: Brief, **entries) -> Brief:
    return replace(brief, cluster=replace(brief.cluster, **entries))


def chosen(**entries) -> Plan:
    """Return FITS with another choice."""
    return outcome(EXAMPLE, replace(FITS.choice, **entries))


def random_briefs(count: int, seed: int = 0):
    """Yield small clusters and models with any balance of computation, communication, memory and noise; without limits."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        layers, width, length = (int(rng.choice(sizes)) for sizes in ([2, 3, 5], [512, 1024, 2048], [512, 1024]))
        num_params = 12.0 * layers * width**2 + 32_000 * width
        node = int(rng.choice([1, 2, 4, 8]))
        bandwidth, latency, noise, memory = 10 ** rng.uniform([-1, -6, 0.5, 0.3], [1.7, -4, 1.8, 1.6])
        yield Brief(
            Model(num_params, layers, width, width // 64, 32_000, length),
            20 * num_params,
            noise * length,
            Known(str(rng.choice(["adamw", "sgd"])), 2**18, 1e-4, 1e6),
            Cluster(int(rng.integers(1, 5 * node + 1)), node, memory, 300, 0.4, bandwidth, latency, 2.0),
        )


# -- what follows from a choice --------------------------------------------------------------------------------------------------


def test_batch_steps_time_and_price_by_hand():
    assert (FITS.sequences, FITS.batch) == (32 * 4 * 2, 524_288)
    steps = math.ceil(140e9 * (1 + 524_288 / 4e6) / 524_288)
    assert (FITS.num_steps, FITS.tokens) == (steps, steps * 524_288)
    operations = 6 * 6.7e9 * 524_288 * (1 + 2048 / (6 * 4096)) / 32
    again = 1 + (2048 / 6 / 4096) / (1 + 2048 / 6 / 4096) / 3
    assert FITS.compute_seconds == pytest.approx(operations * again / (0.5 * 989e12))
    assert FITS.step_seconds == FITS.compute_seconds + FITS.exposed_seconds
    assert FITS.utilisation == pytest.approx(operations / FITS.step_seconds / 989e12)
    assert FITS.days == pytest.approx(steps * FITS.step_seconds / 3600 / 24)
    assert FITS.gpu_hours == pytest.approx(32 * 24 * FITS.days)
    assert FITS.dollars == pytest.approx(2.5 * FITS.gpu_hours)


@pytest.mark.parametrize("recompute", ["none", "selective", "full"])
def test_alone_a_gpu_never_waits(recompute):
    alone = chosen(num_gpus=1, zero_stage=0, recompute=recompute, accumulation_steps=7)
    assert alone.exposed_seconds == pytest.approx(0, abs=1e-9 * alone.compute_seconds)
    more = {"none": 1, "selective": 1 + 1 / 39, "full": 4 / 3}[recompute]
    assert alone.utilisation == pytest.approx(0.5 / more)


@pytest.mark.parametrize("accumulation_steps", [1, 2, 5])
@pytest.mark.parametrize("bandwidth", [0.5, 6, 50])
def test_waiting_has_a_closed_form_up_to_stage_two(bandwidth, accumulation_steps):
    """Of L layers, the forward pass of each f seconds: a pass waits for the slower of its two streams."""
    slow = with_cluster(EXAMPLE, bandwidth=bandwidth)
    for zero_stage in (0, 1, 2):
        step = outcome(slow, replace(FITS.choice, zero_stage=zero_stage, accumulation_steps=accumulation_steps))
        layers, forward = 32, step.compute_seconds / accumulation_steps / 3 / 32
        once = 31 / 32 * 2 * 6.7e9 / layers / (bandwidth * 1e9) + 31 * 1e-5  # round the ring
        reduced = 2 * once if zero_stage == 0 else once
        backward = max(2 * forward + layers * reduced, layers * 2 * forward + reduced)
        seconds = accumulation_steps * layers * 3 * forward
        seconds += (accumulation_steps if zero_stage == 2 else 1) * (backward - layers * 2 * forward)
        if zero_stage:
            seconds += once + (layers - 1) * max(0, once - forward)
        assert step.step_seconds == pytest.approx(seconds)


def test_step_of_any_length_is_that_of_the_timeline():
    rng = np.random.default_rng(0)
    for strategy in STRATEGIES * 15:
        layers, ranks = int(rng.integers(1, 6)), int(rng.integers(1, 40))
        machine = layers, 10 ** rng.uniform(6, 9), 10 ** rng.uniform(-4, 0), ranks, 10 ** rng.uniform(8, 11), 1e-5
        for steps in (1, 2, 3, 4, 9):
            whole = timeline(strategy, *machine, steps).seconds
            assert timeline_seconds(strategy, *machine, steps) == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize("recompute", RECOMPUTATIONS)
def test_memory_is_that_of_the_ledger_and_two_gathered_layers(recompute):
    ledger = importlib.import_module("largebatch.demos.memory_ledger")
    brief = replace(EXAMPLE, model=Model(7e9, 32, 4096, 32, 32_000, 2048))
    shown = ledger.compute("7B, LLaMA", 8, "ZeRO paper", 80, 3, recompute)
    for zero_stage in range(4):
        states, activations = memory(brief, 8, zero_stage, recompute, 3)
        gathered = 2 * 2 * 7 / 32 if zero_stage == 3 else 0
        assert states == pytest.approx(shown.states[zero_stage].total / 1e9 + gathered)
        assert activations == pytest.approx(shown.activations / 1e9)
    assert memory(brief, 1, 3, recompute, 3)[0] == 112, "alone, nothing is sharded or gathered"
    single = replace(EXAMPLE, model=Model(7e9, 1, 4096, 32, 32_000, 2048))
    assert memory(single, 8, 3, recompute, 3)[0] == pytest.approx(112 / 8 + 14), "there is no second layer"


def test_peak_of_activations_counts_logits_or_a_layer():
    sizes = dict(sequences=2, sequence_length=128, width=64, heads=4)
    for recompute in ("none", "selective"):
        layers = 5 * activation_bytes(**sizes, recompute=recompute)
        for vocabulary in (100, 1000):
            peak = peak_activation_bytes(5, **sizes, vocabulary=vocabulary, recompute=recompute)
            assert peak == layers + logit_bytes(256, vocabulary)
    inputs, layer = 5 * 2 * 256 * 64, 34 * 256 * 64
    assert peak_activation_bytes(5, **sizes, vocabulary=1000, recompute="full") == inputs + 10 * 256 * 1000
    assert peak_activation_bytes(5, **sizes, vocabulary=100, recompute="full") == inputs + layer
    assert peak_activation_bytes(5, **sizes, vocabulary=100) == peak_activation_bytes(
        5, **sizes, vocabulary=100, recompute="none"
    )


def test_rate_and_warmup_follow_the_known_run():
    assert rate_for(EXAMPLE, 524_288) == 1.5e-4
    assert rate_for(EXAMPLE, 4 * 524_288) == pytest.approx(3e-4)
    assert rate_for(SGD, 524_288) == pytest.approx(1.5e-4)
    assert rate_for(SGD, 524) == pytest.approx(1.5e-4 / 1000 * (1 + 524_288 / 4e6), rel=1e-3), "small batches: linear"
    assert rate_for(SGD, 1e15) == pytest.approx(1.5e-4 * (1 + 4e6 / 524_288)), "large ones: it saturates"
    assert (warmup_for(EXAMPLE, 375e6), warmup_for(EXAMPLE, 374e6), warmup_for(EXAMPLE, 1e6)) == (1, 2, 375)


# -- what stands against a plan --------------------------------------------------------------------------------------------------

LIMITED = replace(EXAMPLE, limits=Limits(FITS.days, FITS.dollars, FITS.tokens))
SGD = replace(FREE, known=replace(FREE.known, optimizer="sgd"))


def against(brief: Brief = FREE, **entries) -> dict[str, str]:
    """Return the objections to FITS, changed, with the rate and warmup of its batch unless others are given."""
    batch = outcome(brief, replace(FITS.choice, **entries)).batch
    follows = {"learning_rate": rate_for(brief, batch), "warmup_steps": warmup_for(brief, batch)}
    return objections(outcome(brief, replace(FITS.choice, **follows | entries)))


def test_nothing_stands_against_a_plan_at_its_limits():
    assert against() == against(LIMITED) == {}
    assert against(with_cluster(FREE, memory=FITS.memory)) == {}
    assert against(replace(FREE, noise_scale=FITS.batch)) == {}
    assert against(num_gpus=4, micro_batch=2) == against(num_gpus=8) == {}, "a part of a node, and a whole one"


@pytest.mark.parametrize(
    ("name", "message", "entries"),
    [
        ("gpus", "264 GPUs are asked for, the cluster has 256", {"num_gpus": 264, "accumulation_steps": 1}),
        ("nodes", "36 GPUs are not whole nodes of 8", {"num_gpus": 36}),
        ("memory", r"would hold 29\.3 GB of model states and 78\.3 GB of activations, and has 76 GB", {"micro_batch": 8}),
        ("ceiling", r"4,194,304 tokens, above the noise scale of 4,000,000: more than half", {"accumulation_steps": 16}),
        ("rate", r"the rate is 0\.00018, the root rule gives 0\.00015 for adamw$", {"learning_rate": 1.8e-4}),
        ("rate", r"the rate is 0\.00013, ", {"learning_rate": 1.3e-4}),
        ("warmup", r"^715\.3 steps of warmup are not whole steps$", {"warmup_steps": 715.3}),
        ("rate", r"the rate is 0, ", {"learning_rate": 0}),
        ("rate", r"the rate is -0\.0001, ", {"learning_rate": -1e-4}),
        ("rate", r"the rate is nan, ", {"learning_rate": float("nan")}),
        ("rate", "; this is the known run's, for another batch$", {"accumulation_steps": 8, "learning_rate": 1.5e-4}),
        ("rate", "; this is the linear rule's$", {"accumulation_steps": 8, "learning_rate": 6e-4}),
        ("warmup", r"^40,000 steps of warmup are 13% of the run$", {"warmup_steps": 40_000}),
        ("warmup", r"^700 steps of warmup are 367,001,600 tokens; .* has 375,000,000$", {"warmup_steps": 700}),
    ],
)  # fmt: skip
def test_each_requirement_can_be_missed_alone(name, message, entries):
    found = against(**entries)
    assert list(found) == [name] and re.search(message, found[name]), found


def test_each_limit_can_be_missed_alone():
    messages = {
        "days": rf"the run takes {FITS.days:.1f} days, the limit is 5\.\d+$",
        "dollars": rf"the run costs \${FITS.dollars:,.0f}, the limit is \$10,1\d\d$",
        "tokens": rf"the run needs {FITS.tokens / 1e9:.1f} billion tokens at this batch, there are 158\.\d$",
    }
    for name, message in messages.items():
        tight = replace(LIMITED.limits, **{name: 0.9999 * getattr(LIMITED.limits, name)})
        found = against(replace(LIMITED, limits=tight))
        assert list(found) == [name] and re.match(message, found[name]), found
        assert exceeded(outcome(replace(LIMITED, limits=tight), FITS.choice)) == [name]
    assert exceeded(outcome(LIMITED, FITS.choice)) == []


def test_rate_may_differ_by_a_tenth_and_the_rule_is_that_of_the_optimizer():
    assert against(learning_rate=1.65e-4) == against(learning_rate=1.35e-4) == {}
    assert against(SGD, accumulation_steps=8) == {}
    found = against(SGD, accumulation_steps=8, learning_rate=2 * 1.5e-4)
    assert re.search(r"the rule that saturates at the noise scale gives 0\.000445 for sgd$", found["rate"])


# -- the search ------------------------------------------------------------------------------------------------------------------


def all_choices(brief: Brief):
    """Yield the outcome of every choice there is on the numbers of GPUs that are tried."""
    ceiling = int(brief.noise_scale // brief.model.sequence_length)
    for num_gpus in gpu_counts(brief):
        for zero_stage, recompute in ((stage, name) for stage in range(4) for name in RECOMPUTATIONS):
            for micro_batch in range(1, ceiling // num_gpus + 1):
                if sum(memory(brief, num_gpus, zero_stage, recompute, micro_batch)) > brief.cluster.memory:
                    break
                for steps in range(1, ceiling // num_gpus // micro_batch + 1):
                    yield outcome(brief, Choice(num_gpus, zero_stage, recompute, micro_batch, steps, 1, 1))


def test_no_choice_at_all_is_sooner_or_cheaper_by_more_than_two_percent():
    for brief in random_briefs(8):
        names = ("days", "dollars", "tokens")
        every, tried = (
            np.array([[getattr(each, name) for name in names] for each in found])
            for found in (all_choices(brief), plans(brief))
        )
        assert bool(len(every)) == bool(len(tried))
        for choice in every:
            ratios = tried / choice
            assert ratios[:, :2].max(axis=1).min() < 1.02
            assert ratios.max(axis=1).min() < 1.05, "nor can the data be saved by another one"


def test_ways_that_are_never_quicker_are_left_out():
    fits = {
        (0, "none"): 2,
        (1, "none"): 2,
        (2, "none"): 2,
        (3, "none"): 5,
        (0, "full"): 3,
        (1, "full"): 4,
        (3, "full"): 9,
    }
    assert ways(fits, 12) == {
        (0, "none"): 2,
        (1, "none"): 2,
        (3, "none"): 4,
        (0, "full"): 3,
        (1, "full"): 4,
        (3, "full"): 6,
    }
    assert ways(fits, 7) == {(0, "none"): 1, (1, "none"): 1, (3, "full"): 7}
    assert ways({(0, "none"): 0, (1, "none"): 0, (2, "none"): 1}, 5) == {(2, "none"): 1}
    slow = with_cluster(FREE, bandwidth=6)
    sharded, whole = (outcome(slow, replace(FITS.choice, zero_stage=stage, num_gpus=8)) for stage in (1, 0))
    assert sharded.days < 0.99 * whole.days, "so stage 1 is tried beside stage 0"


def test_plans_have_nothing_against_them_and_relaxing_never_harms():
    limited = possible = 0
    for brief in random_briefs(10, seed=1):
        found = list(plans(brief))
        assert all(not objections(each) for each in found)
        if not found:
            continue
        days, dollars, tokens = (
            float(np.quantile([getattr(each, name) for each in found], 0.4)) for name in ("days", "dollars", "tokens")
        )
        for limits in (Limits(dollars=dollars, tokens=tokens), Limits(days, dollars)):
            bound = replace(brief, limits=limits)
            limited += 1
            try:
                best = plan(bound)
            except Impossible:
                continue
            possible += 1
            goal = "dollars" if limits.days < math.inf else "days"
            assert not objections(best)
            assert getattr(best, goal) == min(getattr(each, goal) for each in plans(bound) if not exceeded(each))
            for other in relaxed(bound).values():
                assert getattr(plan(other), goal) <= getattr(best, goal) * (1 + 1e-9)
    assert limited / 4 < possible < limited


def test_numbers_that_are_tried():
    assert round_counts(1) == [1] and round_counts(0) == []
    assert round_counts(31) == [*range(1, 9), 10, 12, 14, 15, 16, 20, 24, 28, 31]
    for most in range(1, 200):
        assert set(round_counts(most)) <= set(round_counts(2 * most))
        assert set(round_counts(most)) <= set(round_counts(2 * most + 1))
        counts = np.array(round_counts(most))
        assert np.all(counts[1:] <= np.maximum(1.25 * counts[:-1], counts[:-1] + 1)), "steps of a quarter or less"
    assert gpu_counts(with_cluster(FREE, num_gpus=40)) == [1, 2, 4, 5, 8, 16, 24, 32, 40]
    assert gpu_counts(with_cluster(FREE, num_gpus=3)) == [1, 2, 3]
    assert gpu_counts(with_cluster(FREE, num_gpus=47))[-1] == 40, "whole nodes"
    assert gpu_counts(replace(FREE, noise_scale=30 * 2048))[-1] == 24, "a sequence for each"
    assert gpu_counts(replace(FREE, noise_scale=2047)) == []
    for most in range(1, 100):
        once, twice = (set(gpu_counts(with_cluster(FREE, num_gpus=factor * most))) for factor in (1, 2))
        assert once <= twice


# -- what is said where nothing works --------------------------------------------------------------------------------------------


def possible(brief: Brief) -> bool:
    return any(not exceeded(each) for each in plans(brief))


def suggestions(brief: Brief) -> dict[str, float]:
    """Return what would be enough: name of the brief's entry → its value; and see that the present one is told right."""
    with pytest.raises(Impossible) as raised:
        plan(brief)
    text = str(raised.value)
    assert text == nearest(brief)
    kinds = {
        "limits.days": r"  (\S+) days \(the limit is (\S+) days\)",
        "limits.dollars": r"  \$(\S+) \(the limit is \$(\S+)\)",
        "limits.tokens": r"  (\S+) billion tokens \(the limit is (\S+) billion tokens\)",
        "cluster.num_gpus": r"  (\S+) GPUs \(there are (\S+)\)",
        "cluster.memory": r"  GPUs with (\S+) GB \(these have (\S+)\)",
    }
    found = {}
    for line in text.splitlines()[1:]:
        ((name, match),) = [(name, match) for name, form in kinds.items() if (match := re.fullmatch(form, line))]
        value, present = (
            float(each.replace(",", "")) * (1e9 if name == "limits.tokens" else 1) for each in match.groups()
        )
        assert present == pytest.approx(dict(numbers(brief))[name], rel=1e-3)
        found[name] = value
    return found


def changed(brief: Brief, name: str, value: float) -> Brief:
    section, entry = name.split(".")
    value = int(value) if name == "cluster.num_gpus" else value
    return replace(brief, **{section: replace(getattr(brief, section), **{entry: value})})


SMALL = replace(FREE, model=Model(1e9, 4, 2048, 16, 32_000, 2048), cluster=replace(FREE.cluster, num_gpus=8))


@pytest.mark.parametrize(
    ("names", "brief"),
    [
        ({"limits.days", "limits.dollars"}, replace(SMALL, limits=Limits(days=4, dollars=1400))),
        ({"limits.days", "cluster.num_gpus"}, replace(SMALL, limits=Limits(days=2))),
        ({"limits.days", "cluster.num_gpus"}, replace(with_cluster(SMALL, num_gpus=3), limits=Limits(days=6))),
        ({"limits.days", "cluster.num_gpus"}, replace(with_cluster(SMALL, num_gpus=12), limits=Limits(days=2.5))),
        ({"limits.dollars"}, replace(SMALL, limits=Limits(dollars=1000))),
        ({"limits.dollars", "cluster.memory"}, with_cluster(replace(SMALL, limits=Limits(dollars=1500)), memory=8)),
        ({"limits.tokens"}, replace(SMALL, limits=Limits(tokens=139e9))),
        ({"cluster.num_gpus", "cluster.memory"}, with_cluster(SMALL, memory=3.5)),
        ({"cluster.num_gpus", "cluster.memory"}, with_cluster(replace(SMALL, limits=Limits(days=20)), num_gpus=2, memory=9)),
        ({"cluster.memory"}, with_cluster(replace(SMALL, noise_scale=9 * 2048), memory=3)),
    ],
)  # fmt: skip
def test_a_suggestion_is_enough_alone_and_a_little_less_is_not(names, brief):
    found = suggestions(brief)
    assert set(found) == names
    for name, value in found.items():
        assert possible(changed(brief, name, value)), f"{name}: {value}"
        node = brief.cluster.gpus_per_node
        less = {"cluster.num_gpus": value - (node if value > node else 1), "cluster.memory": value - 1}
        assert not possible(changed(brief, name, less.get(name, 0.998 * value))), f"less than {value} is enough: {name}"


def test_where_no_single_change_is_enough_the_ends_are_told():
    brief = replace(SMALL, limits=Limits(days=0.01, dollars=10))
    with pytest.raises(Impossible) as raised:
        plan(brief)
    first, *ends = str(raised.value).splitlines()
    assert (
        first == "no plan keeps all limits; neither a larger one alone nor 16 times the GPUs or the memory is enough:"
    )
    found = list(plans(brief))
    for line, (words, name) in zip(
        ends, {"soonest": "days", "cheapest": "dollars", "one with the least data": "tokens"}.items(), strict=True
    ):
        best = min(found, key=lambda each, name=name: getattr(each, name))
        days, dollars, tokens = re.fullmatch(
            rf"  the {words} takes (.*) days, \$(.*), (.*) billion tokens", line
        ).groups()
        told = [float(number.replace(",", "")) for number in (days, dollars, tokens)]
        assert told == pytest.approx([best.days, best.dollars, best.tokens / 1e9], rel=1e-3)


def test_where_nothing_fits_the_least_memory_is_told():
    brief = with_cluster(replace(SMALL, noise_scale=2048, limits=Limits(days=0.01)), memory=5)
    least = min((memory(brief, 1, 0, recompute, 1) for recompute in RECOMPUTATIONS), key=sum)
    assert nearest(brief) == (
        f"on 1 GPU (the noise scale allows no more), with all that can be sharded and computed again, a GPU still holds {least[0]:.1f} GB of model "
        f"states and {least[1]:.1f} GB of activations, {sum(least):.1f} GB in all, and has 5 GB. Neither 16 times the GPUs nor 16 times the memory "
        "is enough"
    )
    for sequences in (7, 8):
        told = nearest(with_cluster(replace(SMALL, noise_scale=sequences * 2048), memory=1))
        assert ("(the noise scale allows no more)" in told) == (sequences < 8)
    assert (
        nearest(replace(SMALL, noise_scale=2047)) == "the noise scale of 2,047 tokens is less than a sequence of 2,048"
    )


# -- four briefs -----------------------------------------------------------------------------------------------------------------

MODEL_70B = Model(70e9, 80, 8192, 64, 32_000, 2048)
COMMUNICATION = with_cluster(FREE, num_gpus=64, memory=40, bandwidth=3.125)
BATCH = with_cluster(replace(FREE, noise_scale=200e3), bandwidth=200)


def binds(brief: Brief) -> str:
    return binding(plan(brief), {change: plan(other) for change, other in relaxed(brief).items()})


def test_a_brief_that_does_not_fit_says_what_would():
    brief = with_cluster(replace(FREE, model=MODEL_70B), num_gpus=16)
    assert suggestions(brief) == {"cluster.num_gpus": 24, "cluster.memory": 77}
    assert "73.5 GB of model states and 3.3 GB of activations, 76.8 GB in all, and has 76 GB" in nearest(brief)


def test_a_slow_network_binds():
    best = plan(COMMUNICATION)
    assert 0.4 < best.exposed_seconds / best.step_seconds < 0.5
    assert re.fullmatch("bandwidth: twice the bandwidth would save 3[5-9]% of the days", binds(COMMUNICATION))


def test_a_small_noise_scale_binds():
    assert plan(BATCH).choice.num_gpus == 96 and BATCH.cluster.num_gpus == 256, "more would have less than a sequence"
    assert re.fullmatch("noise scale: twice the noise scale would save 4[0-4]% of the days", binds(BATCH))


def test_where_doubling_helps_nothing_computation_binds():
    alone = replace(with_cluster(SMALL, num_gpus=1, memory=1e3), noise_scale=1e9, limits=Limits(days=1e6))
    assert binds(alone) == "computation: nothing that is doubled would save even 1% of the dollars"
    assert set(relaxed(alone)) == {
        f"twice the {what}" for what in ("GPUs", "memory", "bandwidth", "noise scale", "time")
    }


# -- the program -----------------------------------------------------------------------------------------------------------------


def test_program_prints_the_plan_of_the_example(capsys):
    assert main([str(ROOT / "examples" / "brief.yaml")]) == 0
    output = capsys.readouterr()
    assert output.err == ""
    first, *rows = output.out.splitlines()
    assert first.endswith("examples/brief.yaml: the cheapest that keeps the deadline")
    best = plan(EXAMPLE)
    assert rows[:11] == report(best).splitlines() and rows[11] == ""
    assert re.fullmatch(r"what binds: time: twice the time would save \d% of the dollars", rows[12])
    table = rows[15:]
    assert [row[2:26].strip() for row in table] == ["this plan", *relaxed(EXAMPLE)]
    for unit in (" GPUs", " tokens", " days", " dollars"):
        assert len({row.index(unit) for row in table if unit not in row[:26]}) == 1, "the columns are aligned"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"python -m largebatch.plan examples/brief.yaml\n```.*?```\n(.*?)```", readme, re.DOTALL)[
        1
    ].splitlines()
    assert len(shown) == 5 and {f"  {line}" for line in shown} <= set(rows), "README shows what is printed"
    now = [float(number.replace(",", "")) for number in re.findall(r"([\d.,]+) [GdT]?", table[0])]
    assert now == pytest.approx([best.choice.num_gpus, best.batch, best.days, best.dollars], rel=1e-3)


def test_each_row_of_the_report_is_what_it_says():
    rows = {line[2:17].strip(): line[17:] for line in report(FITS).splitlines()}
    assert list(rows) == [
        "GPUs", "sharding", "batch", "learning rate", "warmup", "tokens", "steps", "memory", "step", "utilisation", "run",
    ]  # fmt: skip
    assert rows["GPUs"] == "32 of 256, in nodes of 8"
    assert rows["sharding"] == "ZeRO stage 1; computed again for the backward pass: attention"
    assert rows["batch"] == "524,288 tokens = 32 GPUs × 4 sequences × 2 accumulation × 2,048 tokens"
    assert rows["learning rate"] == "0.00015 = 0.00015 × √(524,288 / 524,288)"
    assert rows["warmup"] == "716 steps = 375,000,000 tokens / batch"
    assert rows["tokens"] == "158.4 billion = 140 billion × (1 + 524,288 / 4,000,000)"
    assert rows["steps"] == f"{FITS.num_steps:,} = tokens / batch"
    assert (
        rows["memory"]
        == f"{FITS.memory:.1f} of 76 GB: model states {FITS.states:.1f}, activations {FITS.activations:.1f}"
    )
    parts = re.fullmatch(r"(\S+) s: computation (\S+), waiting for communication (\S+)", rows["step"]).groups()
    told = [FITS.step_seconds, FITS.compute_seconds, FITS.exposed_seconds]
    assert [float(part) for part in parts] == pytest.approx(told, rel=5e-3)
    assert rows["utilisation"].startswith(
        f"{FITS.utilisation:.0%} of the peak = 6 × parameters × batch × (1 + 0.083 for"
    )
    days, hours, dollars = re.fullmatch(r"(\S+) days = .*; (\S+) GPU-hours; \$(\S+)", rows["run"]).groups()
    told = [float(number.replace(",", "")) for number in (days, hours, dollars)]
    assert told == pytest.approx([FITS.days, FITS.gpu_hours, FITS.dollars], rel=1e-3)
    sgd = outcome(SGD, FITS.choice)
    assert "0.00015 × (1 + 4,000,000 / 524,288) / (1 + 4,000,000 / 524,288)" in report(sgd)


def test_program_refuses_what_is_no_brief_and_says_why_there_is_no_plan(tmp_path, capsys):
    assert main([str(tmp_path / "none.yaml")]) == 2
    output = capsys.readouterr()
    assert output.out == "" and output.err.endswith("none.yaml: No such file or directory\n")
    text = (ROOT / "examples" / "brief.yaml").read_text(encoding="utf-8")
    path = tmp_path / "brief.yaml"
    path.write_text(text.replace("num_gpus: 256", "num_gpus: 4").replace("days: 14", "days: 0.1"), encoding="utf-8")
    assert main([str(path)]) == 1
    output = capsys.readouterr()
    assert output.err == "" and output.out.startswith("no plan keeps all limits")
    path.write_text(text.split("limits:")[0].replace("num_gpus: 256", "num_gpus: 1"), encoding="utf-8")
    assert main([str(path)]) == 1, "7 billion parameters do not fit on one GPU"
    assert "GPUs with 109 GB (these have 76)" in capsys.readouterr().out


def test_module_is_a_program():
    asked = subprocess.run(
        [sys.executable, "-m", "largebatch.plan", "--help"], capture_output=True, text=True, cwd=ROOT
    )
    assert asked.returncode == 0 and asked.stdout.startswith("usage: python -m largebatch.plan [-h] brief\n")
    assert "examples/brief.yaml" in asked.stdout and asked.stderr == ""


# -- published runs --------------------------------------------------------------------------------------------------------------

RUNS = {run["model"]: run for run in published.runs()}


@pytest.mark.parametrize("name", RUNS)
def test_briefs_of_published_runs_are_briefs(name):
    run, brief = RUNS[name], published.brief_of(RUNS[name])
    assert parse(asdict(brief)) == brief
    assert brief.cluster.num_gpus == 4 * run["num_gpus"] and brief.limits.days == pytest.approx(published.days_of(run))
    seen = brief.tokens * (1 + run["batch"] / brief.noise_scale)
    assert seen == pytest.approx(run["tokens"]), "the goal is what the run reached"


@pytest.mark.parametrize(("name", "batch_factor"), [("SmolLM3 3B", 2.01), ("Pythia 12B", 2.3)])
def test_smaller_published_runs_are_about_what_is_planned(name, batch_factor):
    run, best = RUNS[name], plan(published.brief_of(RUNS[name]))
    assert 0.5 < best.choice.num_gpus / run["num_gpus"] < 2
    assert 1 / batch_factor < best.batch / run["batch"] < batch_factor
    assert 0.5 < best.choice.learning_rate / run["learning_rate"] < 2
    assert 0.7 < best.gpu_hours / run["gpu_hours"] < 1


@pytest.mark.parametrize(("name", "factor"), [("LLaMA 65B", 1.5), ("Llama 3.1 405B", 2.5)])
def test_larger_published_runs_need_more_than_data_parallelism(name, factor):
    """Everything has to be sharded and whole layers computed again, a third more computation: that is too slow even at half of the peak."""
    run, brief = RUNS[name], published.brief_of(RUNS[name])
    same = plans_on(with_cluster(brief, utilisation=0.5), int(run["num_gpus"]))
    soonest = min(same, key=lambda each: each.days)
    assert (soonest.choice.zero_stage, soonest.choice.recompute) == (3, "full")
    assert soonest.days > factor * published.days_of(run)
    assert not possible(brief), "nor on four times the GPUs, at the utilisation that is assumed for all"


def test_error_of_a_brief_is_a_value_error():
    assert issubclass(BriefError, ValueError)
