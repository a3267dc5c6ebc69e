"""Plan a training run: how many GPUs, which sharding, batch, learning rate and warmup, what it takes and costs, and which limit binds.

    python -m largebatch.plan brief.yaml

A plan is the best of many choices (largebatch.choice says what follows from each). With a deadline, the best is the cheapest that keeps it;
without one, the soonest that the budget allows. Numbers of GPUs and batches are tried in steps of a quarter or less: on the same GPUs no other
choice is sooner or cheaper by more than 2 %.
"""

import argparse
import math
import sys
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from operator import attrgetter

from largebatch.brief import Brief, BriefError, read
from largebatch.choice import Choice, Plan, attention, memory, outcome, rate_for, warmup_for
from largebatch.memory import RECOMPUTATIONS

LARGEST_MICRO_BATCH = 64  # sequences
FARTHEST = 16  # times the GPUs or the memory, in the search for the nearest change
LIMITS = {  # and how their amounts are written
    "days": lambda days: f"{digits(days)} days",
    "dollars": lambda dollars: f"${digits(dollars)}",
    "tokens": lambda tokens: f"{digits(tokens / 1e9)} billion tokens",
}


class Impossible(Exception):
    """No plan keeps all limits: why, and the nearest change with which one would."""


# -- which choice ----------------------------------------------------------------------------------------------------------------


def plan(brief: Brief) -> Plan:
    """Return the best plan that keeps all limits: with a deadline the cheapest, without one the soonest. Impossible where there is none."""
    kept = [each for each in plans(brief) if not exceeded(each)]
    if not kept:
        raise Impossible(nearest(brief))
    if math.isfinite(brief.limits.days):
        return min(kept, key=lambda each: (each.dollars, each.days))
    return min(kept, key=lambda each: (each.days, each.dollars))


def plans(brief: Brief) -> Iterator[Plan]:
    """Yield the plans worth a look: they fit into memory, and the batch is at most the noise scale; `ways` says what is left out."""
    for num_gpus in gpu_counts(brief):
        yield from plans_on(brief, num_gpus)


def plans_on(brief: Brief, num_gpus: int) -> Iterator[Plan]:
    """Yield those for one number of GPUs."""
    largest = {
        (zero_stage, recompute): largest_micro_batch(brief, num_gpus, zero_stage, recompute)
        for recompute in RECOMPUTATIONS
        for zero_stage in range(4 if num_gpus > 1 else 1)
    }
    for share in round_counts(most_sequences(brief) // num_gpus):
        batch = num_gpus * share * brief.model.sequence_length
        rate, warmup = rate_for(brief, batch), warmup_for(brief, batch)
        for (zero_stage, recompute), micro_batch in ways(largest, share).items():
            choice = Choice(num_gpus, zero_stage, recompute, micro_batch, share // micro_batch, rate, warmup)
            yield outcome(brief, choice)


def ways(largest: dict[tuple[int, str], int], share: int) -> dict[tuple[int, str], int]:
    """Return how a GPU can compute its share of the batch: (ZeRO stage, recompute) → micro-batch, the largest that fits and divides the share.

    largest: (ZeRO stage, recompute) → sequences that fit, the least recomputation first. Stages 1 to 3 send more and more, so a way that
    shards or computes again more than another is left out unless its micro-batch is larger. Stage 0 sends in another way: it has no rival.
    """
    divisors = [size for size in range(1, min(share, LARGEST_MICRO_BATCH) + 1) if share % size == 0]
    found = {}
    for (zero_stage, recompute), most in largest.items():
        size = max((size for size in divisors if size <= most), default=0)
        rivals = [other for (stage, _), other in found.items() if stage == zero_stage or 0 < stage < zero_stage]
        if size > max(rivals, default=0):
            found[zero_stage, recompute] = size
    return found


def most_sequences(brief: Brief) -> int:
    """Return the largest batch, in sequences, that is not above the noise scale."""
    return int(brief.noise_scale // brief.model.sequence_length)


def gpu_counts(brief: Brief) -> list[int]:
    """Return the numbers of GPUs to try, each with at least a sequence: 1, 2, 4 … of a node, then round numbers of nodes, and all."""
    node, most = brief.cluster.gpus_per_node, brief.cluster.num_gpus
    inside = {count for power in range(most.bit_length()) for count in (2**power, most >> power) if count < node}
    whole = {node * count for count in round_counts(most // node)}
    return [count for count in sorted(inside | whole) if count <= most_sequences(brief)]


def round_counts(most: int) -> list[int]:
    """Return 1, 2, … 8, 10, 12, 14, 16, 20 … up to the most, and it and its halves: with twice the most, all of them are tried again."""
    powers = [2**power for power in range(most.bit_length())]
    steps = {power * quarters // 4 for power in powers for quarters in (4, 5, 6, 7)}
    return sorted({count for count in steps if count <= most} | {most // power for power in powers})


def largest_micro_batch(brief: Brief, num_gpus: int, zero_stage: int, recompute: str) -> int:
    """Return how many sequences fit into memory at once, at most LARGEST_MICRO_BATCH; 0 where not even one does."""
    states, activations = memory(brief, num_gpus, zero_stage, recompute, 1)
    return min(max(0, int((brief.cluster.memory - states) / activations)), LARGEST_MICRO_BATCH)


# -- limits ----------------------------------------------------------------------------------------------------------------------


def exceeded(plan: Plan) -> list[str]:
    """Return the names of the brief's limits that a plan exceeds."""
    limits = plan.brief.limits
    return [name for name in LIMITS if getattr(plan, name) > getattr(limits, name)]


def nearest(brief: Brief) -> str:
    """Return why no plan keeps all limits, and the nearest changes, each alone, with which one would."""
    if not gpu_counts(brief):
        return f"the noise scale of {brief.noise_scale:,.0f} tokens is less than a sequence of {brief.model.sequence_length:,}"
    found = list(plans(brief))
    reason = "no plan keeps all limits" if found else no_room(brief)
    single = [*larger_limits(brief, found), *more_gpus(brief), *more_memory(brief)]
    if single:
        return "\n  ".join([f"{reason}. Each of these alone would be enough:", *single])
    if not found:
        return f"{reason}. Neither {FARTHEST} times the GPUs nor {FARTHEST} times the memory is enough"
    least = {"soonest": "days", "cheapest": "dollars", "one with the least data": "tokens"}
    lines = []
    for words, least_of in least.items():
        each = min(found, key=attrgetter(least_of))
        lines.append(f"the {words} takes {', '.join(write(getattr(each, name)) for name, write in LIMITS.items())}")
    return "\n  ".join(
        [f"{reason}; neither a larger one alone nor {FARTHEST} times the GPUs or the memory is enough:", *lines]
    )


def larger_limits(brief: Brief, found: list[Plan]) -> Iterator[str]:
    """Yield the smallest value of each limit with which a plan keeps all; found: plans, none of which does."""
    for name, write in LIMITS.items():
        amounts = [getattr(each, name) for each in found if exceeded(each) == [name]]
        if amounts:
            yield f"{write(rounded_up(min(amounts)))} (the limit is {write(getattr(brief.limits, name))})"


def more_gpus(brief: Brief) -> Iterator[str]:
    """Yield the smallest number of GPUs with which a plan keeps all limits, if FARTHEST times as many are enough."""

    def enough(num_gpus: int) -> bool:
        return not all(exceeded(each) for each in plans_on(brief, num_gpus))

    most, node = brief.cluster.num_gpus, brief.cluster.gpus_per_node
    counts = gpu_counts(with_gpus(brief, FARTHEST))
    for below, count in zip([1, *counts], counts, strict=False):
        if count > most and enough(count):
            step = node if count > node else 1
            between = range(below + step, count + 1, step)
            least = between[bisect_left(between, True, key=enough)]
            yield f"{least:,} GPUs (there are {most:,})"
            return


def more_memory(brief: Brief) -> Iterator[str]:
    """Yield the least memory of a GPU, in whole GB, with which a plan keeps all limits, if FARTHEST times as much is enough."""

    def enough(memory: int) -> bool:
        cluster = replace(brief.cluster, memory=memory)
        return not all(exceeded(each) for each in plans(replace(brief, cluster=cluster)))

    sizes = range(math.floor(brief.cluster.memory) + 1, math.ceil(FARTHEST * brief.cluster.memory) + 1)
    if enough(sizes[-1]):
        yield f"GPUs with {sizes[bisect_left(sizes, True, key=enough)]:,} GB (these have {brief.cluster.memory:g})"


def no_room(brief: Brief) -> str:
    """Return why not one plan fits into memory with a batch below the noise scale."""
    num_gpus = gpu_counts(brief)[-1]
    stages = range(4 if num_gpus > 1 else 1)
    states, activations = min(
        (memory(brief, num_gpus, stage, recompute, 1) for stage in stages for recompute in RECOMPUTATIONS), key=sum
    )
    all_of_them = most_sequences(brief) >= brief.cluster.num_gpus
    return (
        f"on {num_gpus:,} GPU{'s' * (num_gpus > 1)}{'' if all_of_them else ' (the noise scale allows no more)'}, with all that can be sharded and computed again, a GPU "
        f"still holds {states:.1f} GB of model states and {activations:.1f} GB of activations, {states + activations:.1f} GB in all, and has "
        f"{brief.cluster.memory:g} GB"
    )


def rounded_up(amount: float) -> float:
    """Return an amount in four digits, not less than it was."""
    unit = 10.0 ** (math.floor(math.log10(amount)) - 3)
    return math.ceil(amount / unit) * unit


def digits(amount: float) -> str:
    """Return an amount in four digits, or as a whole number."""
    return f"{amount:,.0f}" if amount >= 1000 else f"{amount:.4g}"


def with_gpus(brief: Brief, factor: int) -> Brief:
    """Return the brief with so many times the GPUs."""
    return replace(brief, cluster=replace(brief.cluster, num_gpus=factor * brief.cluster.num_gpus))


# -- what would change it --------------------------------------------------------------------------------------------------------


def relaxed(brief: Brief) -> dict[str, Brief]:
    """Return the brief with one limit relaxed by a factor of two, for each limit that there is."""
    cluster, limits = brief.cluster, brief.limits
    changed = {
        "twice the GPUs": with_gpus(brief, 2),
        "twice the memory": replace(brief, cluster=replace(cluster, memory=2 * cluster.memory)),
        "twice the bandwidth": replace(brief, cluster=replace(cluster, bandwidth=2 * cluster.bandwidth)),
        "twice the noise scale": replace(brief, noise_scale=2 * brief.noise_scale),
        "twice the time": replace(brief, limits=replace(limits, days=2 * limits.days)),
        "twice the money": replace(brief, limits=replace(limits, dollars=2 * limits.dollars)),
        "twice the data": replace(brief, limits=replace(limits, tokens=2 * limits.tokens)),
    }
    return {change: other for change, other in changed.items() if other != brief}


def objective(brief: Brief) -> str:
    """Return what a plan is chosen by: "dollars" where there is a deadline, else "days"."""
    return "dollars" if math.isfinite(brief.limits.days) else "days"


def binding(plan_: Plan, others: dict[str, Plan]) -> str:
    """Return which of the relaxations would save most; others: those of `relaxed` → their best plans."""
    name = objective(plan_.brief)
    gains = {change: 1 - getattr(other, name) / getattr(plan_, name) for change, other in others.items()}
    most = max(gains, key=gains.get)
    if gains[most] < 0.01:
        return f"computation: nothing that is doubled would save even 1% of the {name}"
    return f"{most.removeprefix('twice the ')}: {most} would save {gains[most]:.0%} of the {name}"


# -- the program -----------------------------------------------------------------------------------------------------------------

RECOMPUTED = {"none": "nothing", "selective": "attention", "full": "whole layers"}


def report(plan_: Plan) -> str:
    """Return a plan as text, each number beside the formula that it comes from."""
    brief, choice = plan_.brief, plan_.choice
    model, cluster, known = brief.model, brief.cluster, brief.known
    ratio = f"{plan_.batch:,} / {known.batch:,.0f}"
    if known.optimizer == "sgd":
        rule = f"{known.learning_rate:g} × (1 + {brief.noise_scale:,.0f} / {known.batch:,.0f}) / (1 + {brief.noise_scale:,.0f} / {plan_.batch:,})"
    else:
        rule = f"{known.learning_rate:g} × √({ratio})"
    rows = {
        "GPUs": f"{choice.num_gpus:,} of {cluster.num_gpus:,}, in nodes of {cluster.gpus_per_node}",
        "sharding": f"ZeRO stage {choice.zero_stage}; computed again for the backward pass: {RECOMPUTED[choice.recompute]}",
        "batch": f"{plan_.batch:,} tokens = {choice.num_gpus:,} GPUs × {choice.micro_batch} sequences × "
        f"{choice.accumulation_steps} accumulation × {model.sequence_length:,} tokens",
        "learning rate": f"{choice.learning_rate:.3g} = {rule}",
        "warmup": f"{choice.warmup_steps:,} steps = {known.warmup:,.0f} tokens / batch",
        "tokens": f"{plan_.tokens / 1e9:,.4g} billion = {brief.tokens / 1e9:,.4g} billion × (1 + {plan_.batch:,} / {brief.noise_scale:,.0f})",
        "steps": f"{plan_.num_steps:,} = tokens / batch",
        "memory": f"{plan_.memory:.1f} of {cluster.memory:g} GB: model states {plan_.states:.1f}, activations {plan_.activations:.1f}",
        "step": f"{plan_.step_seconds:.3g} s: computation {plan_.compute_seconds:.3g}, waiting for communication {plan_.exposed_seconds:.3g}",
        "utilisation": f"{plan_.utilisation:.0%} of the peak = 6 × parameters × batch × (1 + {attention(brief):.3f} for attention) / step / GPUs / peak",
        "run": f"{digits(plan_.days)} days = steps × step; {plan_.gpu_hours:,.0f} GPU-hours; ${plan_.dollars:,.0f}",
    }
    return "\n".join(f"  {name:15}{text}" for name, text in rows.items())


def changes(plan_: Plan, others: dict[str, Plan]) -> str:
    """Return what each relaxation would change, as a table."""
    rows = [("this plan", plan_), *others.items()]
    return "\n".join(
        f"  {name:24}{each.choice.num_gpus:>7,} GPUs{each.batch:>14,} tokens{digits(each.days):>9} days{each.dollars:>14,.0f} dollars"
        for name, each in rows
    )


def main(arguments: list[str] | None = None) -> int:
    """Print the plan for a brief; return 0, or 1 where there is none, or 2 where the brief cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m largebatch.plan", description="Plan a training run from a brief.")
    parser.add_argument("brief", help="a YAML file; examples/brief.yaml explains every entry")
    path = parser.parse_args(arguments).brief
    try:
        brief = read(path)
        best = plan(brief)
    except BriefError as error:
        print(error, file=sys.stderr)
        return 2
    except Impossible as reason:
        print(reason)
        return 1
    others = {change: plan(other) for change, other in relaxed(brief).items()}
    which = "the cheapest that keeps the deadline" if objective(brief) == "dollars" else "the soonest"
    print(
        f"{path}: {which}\n{report(best)}\n\nwhat binds: {binding(best, others)}\n\nwhat would change it\n{changes(best, others)}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
