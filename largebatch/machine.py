"""A symbolic machine for the schedule of one data-parallel training step: nothing is computed, everything is counted.

    run = Machine(num_ranks=2, num_layers=3, num_micro_batches=4, memory=40).run(schedule)  # every rank calls schedule(m)

A rank holds symbols: weights and optimizer state of a layer, whole or this rank's shard of it; the activations of a layer for a
micro-batch; the gradient of a layer, of which the machine knows how often each micro-batch of each rank is in the sum. What makes no
sense raises `Refused`, with place and remedy; `Run.check` holds the step against its budgets.

A rank does its operations in order. A collective waits for all ranks, and they for it; with async_op=True a rank goes on at once, and
only what needs the result waits. Each rank has one link, which carries one collective after the other. There is no latency.
"""

from collections import Counter
from dataclasses import dataclass
from math import inf
from numbers import Integral

from largebatch.machine_rank import GRADIENTS, WEIGHTS, Rank, Refused
from largebatch.machine_run import Run

ROUNDS = {"all_reduce": 2, "reduce_scatter": 1, "all_gather": 1}  # in each, a rank sends (N - 1) / N of a layer


@dataclass(frozen=True)
class Machine:
    """Ranks that train a model for one step, and what that may cost; ValueError where there is no such machine.

    num_micro_batches  : of each rank
    activations        : GB that a layer keeps of a micro-batch until its backward pass
    bandwidth          : GB that a rank sends in one unit of time, which is the forward pass of one layer
    memory, sent, time : the most that a rank may hold and send (GB), and that the step may take
    """

    num_ranks: int
    num_layers: int
    num_micro_batches: int
    activations: float = 2.0
    bandwidth: float = 1.0
    memory: float = inf
    sent: float = inf
    time: float = inf

    def __post_init__(self):
        for name in ("num_ranks", "num_layers", "num_micro_batches"):
            if not isinstance(getattr(self, name), Integral) or getattr(self, name) < 1:
                raise ValueError(f"{name} of a machine is {getattr(self, name)!r}; give a whole number from 1")
        for name, least in {"activations": 0, "bandwidth": 1e-9, "memory": 0, "sent": 0, "time": 0}.items():
            if not getattr(self, name) >= least:  # nor nan
                raise ValueError(f"{name} of a machine is {getattr(self, name)!r}; give at least {least}")

    def run(self, schedule) -> Run:
        """Return what happens if every rank calls schedule(m); raise Refused where an operation makes no sense."""
        ranks = [Rank(self, index) for index in range(self.num_ranks)]
        for rank in ranks:
            schedule(rank)
        while any(rank.noted for rank in ranks):
            for rank in ranks:
                while rank.noted and rank.noted[0].name not in ROUNDS:
                    rank.begin().play(rank)
            if any(rank.noted for rank in ranks):
                meet(ranks)
        return Run(self, ranks)


def meet(ranks):
    """Play the next collective of all ranks, which must be the same one."""
    if len({str(rank.noted[0]) if rank.noted else "" for rank in ranks}) > 1:
        there = "; ".join(f"rank {rank.rank}: {rank.noted[0] if rank.noted else 'at its end'}" for rank in ranks)
        raise Refused("all ranks in the same collective", there, "it waits for every rank: real ranks would hang here")
    inputs = [rank.begin().play(rank) for rank in ranks]
    machine, layer, name = ranks[0].machine, ranks[0].doing.arguments["layer"], ranks[0].doing.name
    if name == "all_gather":
        content = "old" if "old" in {item.content for item in inputs} else "new"
    else:
        content = summed(ranks[0], name, inputs)
    start = max(max(rank.now, rank.link_free) for rank in ranks)  # what came over the link is there when it is free
    sent = ROUNDS[name] * (machine.num_ranks - 1) / machine.num_ranks * WEIGHTS
    end = start + sent / machine.bandwidth
    for rank in ranks:
        rank.sent, rank.link_free = rank.sent + sent, end
        rank.bars.append((rank.doing, start, end))
        rank.now = rank.now if rank.doing.arguments["async_op"] else end
        if name == "reduce_scatter":
            rank.put(("shard gradient", layer), GRADIENTS / machine.num_ranks, start, end, content)
            rank.drop(("whole gradient", layer), end)
        else:
            kind = "whole gradient" if name == "all_reduce" else "whole weights"
            rank.put((kind, layer), WEIGHTS, start, end, content)


def summed(rank, name, inputs) -> Counter:
    """Return how often each micro-batch is in the sum of the gradients; refuse one that is in it twice."""
    before = rank.held.get(("shard gradient", rank.doing.arguments["layer"])) if name == "reduce_scatter" else None
    counts = sum((item.content for item in inputs), before.content if before else Counter())
    (source, micro_batch), times = counts.most_common(1)[0]
    if times > 1:
        there = f"micro-batch {micro_batch} of rank {source} {times} times"
        mend = "what the ranks add up holds sums over the ranks already: reduce each gradient once"
        rank.refuse("each micro-batch once in the sum", there, mend)
    return counts
