"""One rank of the symbolic machine: the operations that a schedule calls, and what they do to its memory and its clock."""

import inspect
import sys
from collections import Counter, deque
from dataclasses import dataclass
from functools import wraps
from math import inf
from typing import Any

from largebatch.check import WrongAnswer

# GB of one layer: 2, 2 and 12 bytes for each of half a billion parameters (Rajbhandari et al. 2020, section 3.1).
WEIGHTS, GRADIENTS, OPTIMIZER = 1.0, 1.0, 6.0
TIMES = {"forward": 1.0, "backward": 2.0, "update": 0.5}  # of a whole layer, for one micro-batch


class Refused(WrongAnswer):
    """An operation that makes no sense where it stands: what it needs, what is there, how to mend it."""


@dataclass(frozen=True)
class Operation:
    """One call in a schedule: method of Rank, its arguments by name, and the line of the learner's cell."""

    method: Any
    arguments: dict
    line: int

    @property
    def name(self) -> str:
        return self.method.__name__

    def play(self, rank):
        return self.method(rank, **self.arguments)

    def __str__(self):
        return f"{self.name}({', '.join(str(value) for name, value in self.arguments.items() if name != 'async_op')})"


def operation(method):
    """Make a method that is only noted when a schedule calls it: it is played when the other ranks have come as far."""

    @wraps(method)
    def note(self, *arguments, **named):
        bound = inspect.signature(method).bind(self, *arguments, **named)
        bound.apply_defaults()
        values = dict(list(bound.arguments.items())[1:])
        for name, places in (("layer", self.layers), ("micro_batch", self.micro_batches)):
            if name in values and values[name] not in places:
                raise ValueError(f"{method.__name__}: there is no {name} {values[name]!r}, only 0 to {places[-1]}")
        self.noted.append(Operation(method, values, sys._getframe(1).f_lineno))

    return note


@dataclass
class Item:
    """Something in the memory of a rank from `start` to `end`, usable from `ready` on.

    key     : kind, layer and perhaps micro-batch
    content : of weights "old", "new", or "mixed" where only the own shard is new; of a gradient how often each (rank, micro-batch)
              is in the sum
    """

    key: tuple
    size: float
    start: float
    ready: float
    content: Any
    end: float = inf


class Rank:
    """What a schedule is given: one rank, with its place, its operations, and what they did to its memory and clock."""

    def __init__(self, machine, rank: int):
        self.machine, self.rank, self.num_ranks = machine, rank, machine.num_ranks
        self.layers, self.micro_batches = range(machine.num_layers), range(machine.num_micro_batches)
        self.noted, self.doing = deque(), None  # operations still to do, and the one that runs
        self.bars, self.items = [], []  # (operation, start, end) of what was done; every Item that there ever was
        self.held, self.gone = {}, {}  # key → Item; key → (time, operation) that ended it
        self.now = self.link_free = self.sent = 0.0

    # -- what a schedule calls ---------------------------------------------------------------------------------------------------

    @operation
    def load(self, weights="whole", optimizer="whole"):
        """Hold weights and optimizer state of all layers from the start, each "whole" or as a "shard", 1 / num_ranks of it."""
        share = {"whole": 1.0, "shard": 1 / self.num_ranks}
        if not {weights, optimizer} <= set(share) or (weights, optimizer) == ("shard", "whole"):
            mend = "a rank with a shard of the weights can only update that shard"
            self.refuse('"whole" or "shard"', f"weights={weights!r}, optimizer={optimizer!r}", mend)
        if self.held:
            self.refuse("an empty rank", "it is loaded", "load once; all_gather makes shards whole")
        for layer in self.layers:
            self.put((f"{weights} weights", layer), WEIGHTS * share[weights], 0.0, 0.0, "old")
            self.put((f"{optimizer} optimizer state", layer), OPTIMIZER * share[optimizer], 0.0, 0.0, None)

    @operation
    def forward(self, layer, micro_batch):
        """Make the layer's activations; needs its whole weights and the activations of the layer before."""
        key, inputs = ("activations", layer, micro_batch), [self.weights(layer)]
        if key in self.held or key in self.gone:
            self.refuse("a new micro-batch", "this one came before", "each layer sees each micro-batch once")
        if layer > 0:
            inputs.append(self.need("activations", layer - 1, micro_batch, mend="go from the first layer to the last"))
        self.put(key, self.machine.activations, *self.compute(1.0, inputs), None)

    @operation
    def backward(self, layer, micro_batch):
        """Add the micro-batch to the layer's whole gradient and let its activations go; the layer after comes first."""
        key, gradient = ("activations", layer, micro_batch), self.held.get(("whole gradient", layer))
        mend = "one forward pass before, and one backward pass for each: a second one would count the micro-batch twice"
        inputs = [self.weights(layer), self.need(*key, mend=mend)]
        if layer + 1 in self.layers and ("activations", layer + 1, micro_batch) not in self.gone:
            needs = f"backward({layer + 1}, {micro_batch}) before it"
            self.refuse(needs, "it has not run", "go from the last layer to the first")
        start, end = self.compute(1.0, inputs)
        counts = Counter([(self.rank, micro_batch)]) + (gradient.content if gradient else Counter())
        self.put(("whole gradient", layer), GRADIENTS, start, end, counts)
        self.drop(key, end)

    @operation
    def all_reduce(self, layer, async_op=False):
        """Make the layer's whole gradient on every rank the sum over the ranks."""
        return self.need("whole gradient", layer, mend="the backward passes come before")

    @operation
    def reduce_scatter(self, layer, async_op=False):
        """Add up the ranks' whole gradients and add its shard of the sum to the one that each rank has; the whole is gone."""
        return self.need("whole gradient", layer, mend="the backward passes come before")

    @operation
    def all_gather(self, layer, async_op=False):
        """Make the layer's weights whole on every rank, out of everybody's shards."""
        whole = self.held.get(("whole weights", layer))
        source = self.held.get(("shard weights", layer), whole)
        if whole and whole.content == source.content != "mixed":
            self.refuse(
                "a layer of which the ranks hold different shards",
                "it is whole already",
                "free it in between, or leave this out",
            )
        return source

    @operation
    def free(self, layer):
        """Let gathered weights go; the shard stays."""
        weights = self.need("whole weights", layer, mend="free what was gathered, once")
        if ("shard weights", layer) not in self.held:
            self.refuse("a shard that stays", "the only copy on this rank", 'load weights="shard", or do not free')
        self.now = max(self.now, weights.ready)
        self.drop(weights.key, self.now)

    @operation
    def update(self, layer):
        """Make the optimizer step for what this rank has of the optimizer state, and let the gradient go."""
        part = "whole" if ("whole optimizer state", layer) in self.held else "shard"
        reduced = ("shard gradient", layer) in self.held
        weights = self.held.get(("shard weights", layer)) or self.held["whole weights", layer]
        if weights.content != "old":
            self.refuse("weights from before the step", "they were updated", "update each layer once")
        mend = "a whole optimizer state needs a whole sum: all_reduce" if reduced else "the backward passes come before"
        gradient = self.need(f"{part if reduced else 'whole'} gradient", layer, mend=mend)
        every = [(rank, micro_batch) for rank in range(self.num_ranks) for micro_batch in self.micro_batches]
        missing = [place for place in every if place not in gradient.content]
        if missing:
            there = (
                f"{len(every) - len(missing)} of {len(every)}, not micro-batch {missing[0][1]} of rank {missing[0][0]}"
            )
            own = any(rank == self.rank for rank, _ in missing)
            mend = "all backward passes come before" if own else "all_reduce or reduce_scatter adds up the ranks"
            self.refuse("the gradient of every micro-batch of every rank", there, mend)
        share = 1.0 if part == "whole" else 1 / self.num_ranks
        _, weights.ready = self.compute(share, [gradient])
        weights.content = "new" if weights.key[0].startswith(part) else "mixed"
        self.drop(gradient.key, weights.ready)

    # -- how it is done ----------------------------------------------------------------------------------------------------------

    def begin(self) -> Operation:
        """Take the next operation off the list."""
        self.doing = self.noted.popleft()
        if self.doing.name != "load" and not self.held:
            self.refuse("weights", "nothing is loaded", "begin with m.load()")
        return self.doing

    def refuse(self, needs, there, mend):
        where = f"{self.doing} on rank {self.rank} at time {self.now:.4g} (line {self.doing.line})"
        raise Refused(f"{needs}, for {where}", there, mend)

    def need(self, kind, layer, *micro_batch, mend) -> Item:
        """Return what is held under this name; where nothing is, say since when."""
        key = (kind, layer, *micro_batch)
        if key not in self.held:
            time, by = self.gone.get(key, (0, ""))
            there = f"gone since time {time:.4g}, after {by}" if by else "there was none so far"
            where = f"{kind} of layer {layer}" + "".join(f" for micro-batch {k}" for k in micro_batch)
            self.refuse(where, there, mend)
        return self.held[key]

    def weights(self, layer) -> Item:
        """Return a layer's whole weights as they were before the step."""
        weights = self.need("whole weights", layer, mend="all_gather makes a shard whole")
        if (self.held.get(("shard weights", layer)) or weights).content != "old":
            self.refuse("weights from before the step", "they were updated", "all micro-batches see the same weights")
        return weights

    def put(self, key, size, start, ready, content):
        """Hold something new; where it is held already, only content and time are new."""
        if key not in self.held:
            self.held[key] = Item(key, size, start, ready, content)
            self.items.append(self.held[key])
        self.held[key].ready, self.held[key].content = ready, content

    def drop(self, key, end):
        self.held.pop(key).end = end
        self.gone[key] = end, self.doing

    def compute(self, share, inputs) -> tuple[float, float]:
        """Spend the time of the operation as soon as its inputs are ready; return start and end."""
        start = max(self.now, *(item.ready for item in inputs))
        self.now = start + share * TIMES[self.doing.name]
        self.bars.append((self.doing, start, self.now))
        return start, self.now
