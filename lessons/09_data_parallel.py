# %% [markdown]
r"""
# 09 · What really happens between the ranks?

Data parallelism is one sentence: every rank computes a gradient on its own micro-batch, and all of them step with the
average. Most of what goes wrong hides in that sentence, because nothing crashes: the average of the wrong thing, at
the wrong moment, trains a worse model with a plausible loss curve. This lesson starts real processes from a cell,
looks at what passes between them, and finds two real bugs by asking which rank, which step, which tensor.

**You will** start ranks and show that they equal one process with accumulation; write a data-parallel step for
unequal numbers of tokens; write the ring all-reduce and count its bytes; say what one step sends under DDP and ZeRO,
and when; find and repair two broken training scripts; fit schedules into budgets of memory, bytes and time; and start
the same code on one machine or on many.

**You need** lessons 01, 02 and 06, and PyTorch: a module, a loss, `backward()`, an optimizer. Lesson 08 helps in
sections 9.4 and 9.7. The ranks need Linux or macOS; on Windows, WSL.

**Minutes** 190, in three sittings: 9.1 to 9.3, then 9.4 to 9.6, then the rest

**Points** 18
"""

# %%
import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # ranks are forks, and a process that has used a GPU cannot be forked

import copy
import runpy
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel

import largebatch
from largebatch import demos, ranks
from largebatch.check import WrongAnswer, check, check_raises
from largebatch.machine import Machine, Refused
from largebatch.noise_meter import NoiseMeter
from largebatch.quiz import check_choice
from largebatch.real_rank import RealRank, one_process

plt.style.use("largebatch.course")
torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)  # so that rounding is 1e-16 and a real difference cannot hide in it

# %% [markdown]
r"""
| symbol | in code | meaning | unit |
|---|---|---|---|
| $R$ | `num_ranks` | data-parallel ranks, each a process with its own copy of the model | – |
| $K$ | `accumulation_steps` | micro-batches of one rank in one optimizer step | – |
| $g_{rk}$ | – | gradient of the mean loss of micro-batch $k$ on rank $r$ | loss per unit of $\theta$ |
| $n_{rk}$ | `num_tokens` | tokens in it that carry a loss | tokens |
| $T = \sum_{r,k} n_{rk}$ | – | tokens in the step, over all ranks and micro-batches | tokens |
| $V$ | `num_bytes` | size of what is communicated, such as all gradients of a model | bytes |

## 9.1 Several processes, one gradient

**Smallest case.** A *rank* is a process. `ranks.run(worker, 2)` starts two, joined by `torch.distributed`, calls
`worker()` in both, and returns what each returned. A *collective* is a call that all ranks make together, such as
`all_reduce`: it adds a tensor over all ranks, and every rank gets the sum.
"""


# %%
def add_up():
    tensor = torch.tensor([1.0, 2.0]) * 10 ** dist.get_rank()
    print("before:", tensor.tolist())
    dist.all_reduce(tensor)
    print("after: ", tensor.tolist())
    return dist.get_rank()


returned = ranks.run(add_up, 2)
print("returned:", returned)

# %% [markdown]
r"""
The ranks here are *forks* of this notebook's process: each starts with a copy of all your variables (and with the
same random numbers ahead of it, which is why data must be drawn differently on each rank on purpose). What a worker
changes stays in its own process. Only what it returns and prints comes back.

The ranks talk to each other through *gloo*, PyTorch's backend for CPUs; on GPUs one uses NCCL. A collective is a
promise by all ranks. If one of them does not come, the others wait, by default ten minutes with NCCL and thirty with
gloo, and rarely say for whom. Here they are given two seconds:
"""


# %%
def all_but_one():
    if dist.get_rank() != 1:
        dist.all_reduce(torch.ones(1))


try:
    ranks.run(all_but_one, 3, timeout=2)
except ranks.RankFailed as failed:
    print(failed)

# %% [markdown]
r"""
**What you see.** Those who wait, each with the line at which it stands. The culprit is named only among those that
have returned, a line that the log of a cluster rarely has. That is how most hangs look there: a rank that skipped a
batch, left a loop early, or took another branch.

**Claim.** $R$ ranks with $K$ micro-batches each take the step of one process that accumulates $R K$ micro-batches.

1. With micro-batches of one size, the step of the single process uses $G = \frac{1}{RK} \sum_{r=1}^{R} \sum_{k=1}^{K}
   g_{rk}$ (lesson 02).
2. Rank $r$ accumulates its own: $h_r = \frac1K \sum_k g_{rk}$.
3. `DistributedDataParallel` (DDP) *averages* over the ranks: it divides by $R$ and adds with an all-reduce. Every
   rank then holds $\frac1R \sum_r h_r = \frac{1}{RK} \sum_r \sum_k g_{rk} = G$.
4. All ranks hold the same weights before the step, and the same optimizer state. They apply the same rule to the same
   $G$, so they hold the same weights after it. By induction they do for the whole run. $\square$

Two things follow. Weights are never sent after the start, only gradients. And there are two kinds of "the same":
between ranks, *to the last bit*, because they all do the same arithmetic on the same numbers; against the single
process *up to rounding*, because the additions come in another order.
"""


# %%
def network():
    """Return a small network, the same each time."""
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3))


def flat(model):
    """Return a copy of all its weights in one vector."""
    return nn.utils.parameters_to_vector(model.parameters()).detach().clone()


def examples(step, number):
    """Return micro-batch `number` of a step: inputs (4, 6) and classes (4,)."""
    generator = torch.Generator().manual_seed(100 * step + number)
    return torch.randn(4, 6, generator=generator), torch.randint(3, (4,), generator=generator)


def loss_of(model, batch):
    inputs, classes = batch
    return cross_entropy(model(inputs), classes)


# %% [markdown]
r"""
Both loops below train for five steps of 8 micro-batches. On ranks, rank $r$ takes the micro-batches $r$, $r + R$,
$r + 2R$, …; `model.no_sync()` tells DDP not to average after a backward pass, because only the last one of a step needs
it.
"""


# %%
def train_alone(optimizer_of):
    model = network()
    optimizer = optimizer_of(model.parameters())
    for step in range(5):
        for number in range(8):
            (loss_of(model, examples(step, number)) / 8).backward()
        optimizer.step()
        optimizer.zero_grad()
    return flat(model)


def train_on_ranks(optimizer_of):
    model = DistributedDataParallel(network())
    optimizer = optimizer_of(model.parameters())
    mine = range(dist.get_rank(), 8, dist.get_world_size())
    for step in range(5):
        for number in mine:
            with nullcontext() if number == mine[-1] else model.no_sync():
                (loss_of(model, examples(step, number)) / len(mine)).backward()
        optimizer.step()
        optimizer.zero_grad()
    return flat(model)


# %% [markdown]
r"""
**Before you run it:** which of the two columns will hold exact zeros?
"""

# %%
optimizers = {
    "SGD": lambda weights: torch.optim.SGD(weights, lr=0.1),
    "momentum": lambda weights: torch.optim.SGD(weights, lr=0.1, momentum=0.9),
    "AdamW": lambda weights: torch.optim.AdamW(weights, lr=0.01),
}
print("optimizer  ranks   against one process   between ranks")
for name, optimizer_of in optimizers.items():
    alone = train_alone(optimizer_of)
    for num_ranks in (2, 4):
        replicas = ranks.run(train_on_ranks, num_ranks, optimizer_of)
        apart = max(float((replica - replicas[0]).abs().max()) for replica in replicas)
        print(
            f"{name:9s}  {num_ranks}       {float((replicas[0] - alone).abs().max()):.0e}                 {apart:.0e}"
        )

# %% [markdown]
r"""
**What you see.** Zeros between ranks; rounding errors against one process.

The proof needed equal micro-batches. With masked or padded text every rank holds another number of tokens, and the
mean of the ranks' means weights tokens unequally (lesson 02, sections 2.4 and 2.5). A rank repairs its own loss: with
the *sum* of its token losses, times $R$ to undo DDP's division, over the tokens of *everybody*,

$$
L_{rk} = \frac{R}{T} \sum_{j} \ell_{rkj}
\qquad\Longrightarrow\qquad
\frac1R \sum_r \sum_k \nabla L_{rk} = \frac1T \sum_{r,k,j} \nabla \ell_{rkj} .
$$

No rank knows $T$ by itself: it takes one more collective, of a single number, before the first backward pass.

## Exercise 9.1: `data_parallel_step` (3 points, 15 minutes, core)

Take one optimizer step on this rank, as all other ranks do at the same time. Afterwards the weights are those of one
process that averaged the gradient over all tokens of all ranks.

- `model`: a network in `DistributedDataParallel`; `model(inputs)` has shape `(num_tokens, num_classes)`
- `optimizer`: its optimizer; the gradients are `None` before the step and must be cleared after it
- `micro_batches`: list of $K \ge 1$ pairs of inputs and classes; a class of `-100` carries no loss (it is the
  `ignore_index` of `cross_entropy`), and counts of tokens differ between ranks and micro-batches; $K$ is the same on
  all ranks
- gradients are averaged over the ranks *once* in the step, however large $K$ is
- returns nothing

In the check, two ranks hold 4 and 5 tokens that count, whose gradients add up to 12 and 6: all must step with $18 / 9
= 2$. A micro-batch in which no token counts is a micro-batch like any other: do not skip it.

<details><summary>Hint 1 (click to open): which collectives does one step need?</summary>

Two: `dist.all_reduce` of the number of tokens, as a tensor, and the averaging of the gradients that DDP does by
itself at the end of a backward pass outside `no_sync()`.
</details>

<details><summary>Hint 2 (click to open): how is the loss written?</summary>

`cross_entropy(model(inputs), classes, ignore_index=-100, reduction="sum") * dist.get_world_size() / total_tokens`.
Both the forward and the backward pass belong inside `with model.no_sync():`, for all micro-batches but the last.
</details>
"""


# %% solution="data_parallel_step"
def data_parallel_step(model, optimizer, micro_batches):
    """Take one step with the gradient of the mean over all tokens of all ranks."""
    ### BEGIN SOLUTION
    total_tokens = torch.tensor(sum(int((classes != -100).sum()) for _, classes in micro_batches))
    dist.all_reduce(total_tokens)
    for number, (inputs, classes) in enumerate(micro_batches, start=1):
        with nullcontext() if number == len(micro_batches) else model.no_sync():
            summed = cross_entropy(model(inputs), classes, ignore_index=-100, reduction="sum")
            (summed * dist.get_world_size() / total_tokens).backward()
    optimizer.step()
    optimizer.zero_grad()
    ### END SOLUTION


# %% [markdown]
r"""
The checks run your step on real ranks. They watch it with a *communication hook*: a function that DDP calls in the
place of its own averaging, once for each time that it averages.
"""


# %%
def counted(model):
    """Wrap a model in DDP and return it with a list to which each averaging of gradients adds its number of bytes."""
    model, sent = DistributedDataParallel(model), []

    def average(_state, bucket):
        sent.append(bucket.buffer().nbytes)
        work = dist.all_reduce(bucket.buffer() / dist.get_world_size(), async_op=True)
        return work.get_future().then(lambda done: done.value()[0])

    model.register_comm_hook(None, average)
    return model, sent


# %% tests="data_parallel_step_unequal_tokens" points=1
# Two ranks, three micro-batches each, tokens of unequal number. Each token's gradient is written down; None carries no loss.
def _one_step(step, gradients):
    model = nn.Linear(1, 2, bias=False)
    nn.init.zeros_(model.weight)  # a token of class 1 with input 2g then has the gradient g
    model, sent = counted(model)
    batches = [
        (
            torch.tensor([[2.0 * (g or 0)] for g in part]),
            torch.tensor([-100 if g is None else 1 for g in part]),
        )
        for part in gradients[dist.get_rank()]
    ]
    step(model, torch.optim.SGD(model.parameters(), lr=1.0), batches)
    left = model.module.weight.grad
    return -float(model.module.weight[0, 0].detach()), len(sent), left is None or not left.any()


_tokens = [[1, 2], [3, None], [6]], [[10], [-4], [-2, 0, 2]]  # of rank 0, of rank 1
_seen, _sent, _cleared = zip(*ranks.run(_one_step, 2, data_parallel_step, _tokens, timeout=20), strict=True)
check(
    _seen[0],
    2.0,
    what="gradient that rank 0 stepped with",
    mistakes={
        "this is the mean of the micro-batches' means; divide sums by all tokens": 2.75,
        "each rank divided by its own tokens; add up the tokens of all ranks first": 2.1,
        "DDP divides by the number of ranks once more: multiply by it": 1.0,
        "the tokens are those of the whole step, all micro-batches of all ranks, not those of one micro-batch": 16 / 3,
        "only the first micro-batch was averaged over the ranks": 31 / 9,
        "the number of ranks is right, but each rank used its own tokens, not those of all": 4.2,
        "nothing was divided by the tokens": 9.0,
        "you multiplied by the ranks and never divided by the tokens": 18.0,
        "divide by the tokens only: not by the number of micro-batches as well": 2 / 3,
        "the means of the micro-batches were added up": 8.25,
        "targets of -100 carry no loss and do not count": 1.8,
        "the number of ranks is in it twice: DDP divides by it once, and all_reduce does not divide": 4.0,
        "DDP never averaged: the last forward and backward pass belong outside no_sync()": 24 / 9,
        "no step was taken": 0.0,
    },
)
check(
    _seen[1], 2.0, what="gradient that rank 1 stepped with", mistakes={"rank 1 stepped with its own gradient": 12 / 9}
)
check(
    _sent[0],
    1,
    what="averagings in this step",
    mistakes={
        "each micro-batch was averaged: all but the last belong inside no_sync(), with their forward pass, too": 3,
        "DDP never averaged: call model, not model.module, the last time outside no_sync()": 0,
    },
)
if not all(_cleared):
    raise WrongAnswer("no gradients after the step", "gradients", "call optimizer.zero_grad() after the step")


# %% tests="data_parallel_step_any_shape" points=2
# Checked when you are graded: three ranks, one to four micro-batches, some of them without a token that counts, several steps of AdamW;
# the replicas agree to the last bit, and with one process that sees all tokens at once.
### BEGIN HIDDEN TESTS
def _tokens_of(step, rank, number):
    generator = torch.Generator().manual_seed(1000 * step + 10 * rank + number)
    classes = torch.randint(3, (7,), generator=generator)
    classes[torch.randint(0, 8, (), generator=generator) :] = -100
    if number == rank:  # once it is the only micro-batch of its step, once the last one
        classes[:] = -100
    return torch.randn(7, 6, generator=generator), classes


def _trained(step_of, steps):
    model, sent = counted(network())
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for step, accumulation_steps in enumerate(steps):
        step_of(model, optimizer, [_tokens_of(step, dist.get_rank(), number) for number in range(accumulation_steps)])
    return flat(model), len(sent)


_steps = [4, 1, 3]
_alone = network()
_optimizer = torch.optim.AdamW(_alone.parameters(), lr=0.01)
for _step, _number_of in enumerate(_steps):
    _pairs = [_tokens_of(_step, _rank, _number) for _rank in range(3) for _number in range(_number_of)]
    _all_inputs, _all_classes = map(torch.cat, zip(*_pairs, strict=True))
    cross_entropy(_alone(_all_inputs), _all_classes, ignore_index=-100).backward()
    _optimizer.step()
    _optimizer.zero_grad()
_expected = flat(_alone)
_replicas, _sent = zip(*ranks.run(_trained, 3, data_parallel_step, _steps, timeout=20), strict=True)
for _rank, _replica in enumerate(_replicas):
    check(
        _replica,
        _expected,
        what=f"weights of rank {_rank} of 3 after steps of {_steps} micro-batches",
        rtol=0,
        atol=1e-9,
    )
check(_sent[0], 3, what="averagings in three steps")
### END HIDDEN TESTS

# %% [markdown]
r"""
## 9.2 Mean or sum?

An all-reduce adds. DDP multiplies by $1/R$ beforehand, so that sums in 16 bits do not overflow; other stacks do not,
and leave the division to the loss or to the learning rate. Whoever writes the averaging by hand, or changes stacks,
must know which: a forgotten division makes the gradient $R$ times too large. What does that do?
"""


# %%
def trained_by_hand(optimizer_of, clip=None, mean=True):
    """Take ten steps with a hand-written averaging; return how far the weights moved in the first step, and where they end."""
    model = network()
    optimizer, before = optimizer_of(model.parameters()), flat(model)
    for step in range(10):
        loss_of(model, examples(step, dist.get_rank())).backward()
        for parameter in model.parameters():
            dist.all_reduce(parameter.grad)
            if mean:
                parameter.grad /= dist.get_world_size()
        if clip:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        optimizer.zero_grad()
        if step == 0:
            first = float((flat(model) - before).norm())
    return first, flat(model) - before


# %% [markdown]
r"""
**Before you run it:** for which rows will the forgotten division change nothing? The last column is the distance
between the two trainings after ten steps, as a share of the way.
"""

# %%
rows = {
    "SGD": (lambda weights: torch.optim.SGD(weights, lr=0.1), None),
    "SGD, gradient clipped to norm 0.1": (lambda weights: torch.optim.SGD(weights, lr=0.1), 0.1),
    "Adam": (lambda weights: torch.optim.Adam(weights, lr=0.01), None),
    "AdamW": (lambda weights: torch.optim.AdamW(weights, lr=0.01, weight_decay=0.1), None),
    "AdamW, gradient clipped to norm 1": (lambda weights: torch.optim.AdamW(weights, lr=0.01, weight_decay=0.1), 1.0),
    "Adam, decay added to the gradient": (lambda weights: torch.optim.Adam(weights, lr=0.01, weight_decay=0.1), None),
}


def mean_and_sum():
    return {name: (trained_by_hand(*row), trained_by_hand(*row, mean=False)) for name, row in rows.items()}


print("sum in the place of the mean, 4 ranks   first step   apart after ten steps")
for name, ((right, mean), (wrong, total)) in ranks.run(mean_and_sum, 4)[0].items():
    print(f"{name:38s}  {wrong / right:6.3f} times {float((total - mean).norm() / mean.norm()):15.1e}")

# %% [markdown]
r"""
**What you see.** SGD takes a first step four times as long and ends elsewhere. Adam walks the same way: it divides
the gradient by a running size of the gradient, and a constant factor cancels, as long as gradients are far above its
$\varepsilon$ (that, and a $10^{-6}$ in PyTorch's clipping, are the millionths that are left). A clipping that acts in
every step hides the factor, too. But a threshold that acts in some steps only, the usual case, acts in more of them
when gradients are four times as large, and Adam's walk changes. What is not multiplied along, such as a weight decay
that is added to the gradient, loses its weight. AdamW's decay is not part of the gradient.

So a run with AdamW can carry the bug unnoticed. It shows in what is *not* invariant: the logged gradient norm, which
jumps with the number of ranks, the share of clipped steps, and overflows in float16.

## 9.3 The ring

How do $R$ ranks add up $V$ bytes that each of them holds? The obvious way sends everything to rank 0, which adds and
sends the sum back: rank 0 receives $(R - 1) V$ bytes and sends as many, while the other lines idle. The *ring* keeps
all lines busy. Every rank sends only to the next one and receives only from the one before.

**Smallest case: three ranks, three chunks.** Rank $r$ holds $10^r$ in each chunk, so that the digits show whose
number is in a sum. In each exchange, every rank passes on one chunk, and the receiver adds it to its own:

| | rank 0 | rank 1 | rank 2 |
|---|---|---|---|
| start | 1, 1, 1 | 10, 10, 10 | 100, 100, 100 |
| rank $r$ sends chunk $r$ | 1, 1, **101** | **11**, 10, 10 | 100, **110**, 100 |
| rank $r$ sends chunk $r - 1$ | 1, **111**, 101 | 11, 10, **111** | **111**, 110, 100 |

After $R - 1 = 2$ exchanges every rank holds *one* chunk that is complete: rank $r$ the chunk $r + 1$ (counted modulo
3). That is a **reduce-scatter**. Two more exchanges pass the complete chunks round, and the receiver now
*replaces* its own:

| | rank 0 | rank 1 | rank 2 |
|---|---|---|---|
| rank $r$ sends chunk $r + 1$ | **111**, 111, 101 | 11, **111**, 111 | 111, 110, **111** |
| rank $r$ sends chunk $r$ | 111, 111, **111** | **111**, 111, 111 | 111, **111**, 111 |

That is an **all-gather**, and both together are the all-reduce. Each of the $2 (R - 1)$ exchanges moves $V / R$ bytes
from every rank, so a rank sends

$$
\frac{2 (R - 1)}{R}\, V \;<\; 2 V ,
$$

however many ranks there are. What grows with $R$ is the number of exchanges, and with it the waiting: $2 (R-1)$ times
the latency of a message. The next exercise checks the count on real messages.
"""


# %%
class Ring:
    """The place of this rank in a ring, with a counter of the bytes that it sends."""

    def __init__(self):
        self.rank, self.num_ranks = dist.get_rank(), dist.get_world_size()
        self.bytes_sent = 0

    def exchange(self, outgoing, like):
        """Send a tensor to the next rank; return the one that arrives from the rank before, which has the shape of `like`."""
        arriving = torch.empty_like(like)
        sending = dist.isend(outgoing.contiguous(), (self.rank + 1) % self.num_ranks)
        dist.recv(arriving, (self.rank - 1) % self.num_ranks)
        sending.wait()
        self.bytes_sent += outgoing.nbytes
        return arriving


# %% [markdown]
r"""
## Exercise 9.2: `ring_all_reduce` (3 points, 20 minutes, core)

Add up a tensor over all ranks, with nothing but exchanges between neighbours.

- `tensor`: shape `(num_values,)`, on each rank its own values; it belongs to the caller: do not change it
- `ring`: a `Ring`; `ring.rank`, `ring.num_ranks`, and `ring.exchange(outgoing, like=…)`, where `like` has the shape
  of the chunk that *arrives*
- returns the sum over all ranks, on all ranks, shape `(num_values,)`
- `torch.tensor_split(tensor, num_ranks)` cuts a tensor into chunks, also where the length cannot be divided evenly,
  or is smaller than `num_ranks`: some chunks are then shorter, or empty
- over all ranks, exactly $2 (R - 1) V$ bytes are sent; with chunks of one size, $2 (R-1)/R \cdot V$ by each

In the check, the tensors of three ranks are those of the table: all ranks must get 111, 111, 111.

<details><summary>Hint 1 (click to open): which chunk do I send, which one arrives?</summary>

In exchange $s = 0, 1, \dots$ of the first half, rank $r$ sends chunk $r - s$; what arrives is the chunk that rank
$r - 1$ sends. In the second half, rank $r$ sends chunk $r + 1 - s$. All counted modulo $R$.
</details>

<details><summary>Hint 2 (click to open): the first half in code</summary>

```python
chunks = list(torch.tensor_split(tensor.clone(), ring.num_ranks))
for step in range(ring.num_ranks - 1):
    outgoing = (ring.rank - step) % ring.num_ranks
    arriving = (outgoing - 1) % ring.num_ranks
    chunks[arriving] += ring.exchange(chunks[outgoing], like=chunks[arriving])
```
</details>
"""


# %% solution="ring_all_reduce"
def ring_all_reduce(tensor, ring):
    """Return the sum of a tensor over all ranks by exchanges in a ring."""
    ### BEGIN SOLUTION
    chunks = list(torch.tensor_split(tensor.clone(), ring.num_ranks))
    for step in range(ring.num_ranks - 1):  # reduce-scatter
        outgoing = (ring.rank - step) % ring.num_ranks
        arriving = (outgoing - 1) % ring.num_ranks
        chunks[arriving] += ring.exchange(chunks[outgoing], like=chunks[arriving])
    for step in range(ring.num_ranks - 1):  # all-gather
        outgoing = (ring.rank + 1 - step) % ring.num_ranks
        arriving = (outgoing - 1) % ring.num_ranks
        chunks[arriving] = ring.exchange(chunks[outgoing], like=chunks[arriving])
    return torch.cat(chunks)
    ### END SOLUTION


# %% tests="ring_all_reduce_of_the_table" points=1
# Three ranks with the tensors of the table; each sends 4 chunks of 8 bytes.
def _around(all_reduce, length):
    ring = Ring()
    mine = torch.arange(1.0, length + 1) * 10**ring.rank if length != 3 else torch.full((3,), 10.0**ring.rank)
    before = mine.clone()
    total = all_reduce(mine, ring)
    return total, ring.bytes_sent, bool(torch.equal(mine, before))


_results = ranks.run(_around, 3, ring_all_reduce, 3, timeout=20)
for _rank, (_total, _bytes, _kept) in enumerate(_results):
    check(
        _total,
        [111.0] * 3,
        what=f"sum on rank {_rank}",
        mistakes={
            "only the first half is done, the reduce-scatter: one chunk is complete": [
                [1.0, 111.0, 101.0],
                [11.0, 10.0, 111.0],
                [111.0, 110.0, 100.0],
            ][_rank],
            "the second half must replace a chunk by the complete one, not add it": [
                [112.0, 111.0, 312.0],
                [123.0, 121.0, 111.0],
                [111.0, 231.0, 211.0],
            ][_rank],
            "this is the tensor as it was": [10.0**_rank] * 3,
            "this is the mean; asked for is the sum": [37.0] * 3,
            "the second half must begin with the chunk that is complete on this rank": [1.0, 10.0, 100.0],
            "the sum so far was passed on, in which some numbers are already: pass on what arrived": [
                [211.0] * 3,
                [112.0] * 3,
                [121.0] * 3,
            ][_rank],
        },
    )
check(
    _results[0][1],
    32,
    what="sent by rank 0",
    unit="bytes",
    mistakes={
        "the whole tensor was passed round, or one chunk once too often in each half": 48,
        "the whole tensor was passed round twice; pass one chunk at a time": 96,
        "nothing went through ring.exchange": 0,
    },
)
_others = ranks.run(_around, 3, ring_all_reduce, 4, timeout=20)
for _total, _, _ in _others:
    check(_total, [111.0, 222.0, 333.0, 444.0], what="three ranks, four values: the chunks are not of one size")
check(
    sum(_bytes for _, _bytes, _ in _others),
    128,
    what="sent by all, three ranks, four values",
    unit="bytes",
    mistakes={"chunks were filled up to one size; send them as they are": 192},
)
if not all(_kept for _, _, _kept in _results):
    raise WrongAnswer(
        "the caller's tensor as it was", "a changed tensor", "tensor_split returns views: copy the tensor first"
    )

# %% tests="ring_all_reduce_odd_sizes" points=2
# Checked when you are graded: two and four ranks, lengths that the number of ranks does not divide, one shorter than that number.
### BEGIN HIDDEN TESTS
for _num_ranks, _length in ((2, 5), (4, 10), (4, 2), (1, 4)):
    _totals, _sent, _kept = zip(*ranks.run(_around, _num_ranks, ring_all_reduce, _length, timeout=20), strict=True)
    _case = f"{_num_ranks} ranks, {_length} values"
    for _total in _totals:
        check(
            _total, torch.arange(1.0, _length + 1) * sum(10**_rank for _rank in range(_num_ranks)), what=f"sum, {_case}"
        )
    check(sum(_sent), 2 * (_num_ranks - 1) * _length * 8, what=f"sent by all, {_case}", unit="bytes")
    assert all(_kept), f"the caller's tensor was changed: {_case}"
_sent = [_bytes for _, _bytes, _ in ranks.run(_around, 4, ring_all_reduce, 8, timeout=20)]
check(_sent, [2 * 3 / 4 * 64] * 4, what="sent by each of 4 ranks, 8 values", unit="bytes")
### END HIDDEN TESTS

# %% [markdown]
r"""
## 9.4 What does one step send, and when?

| symbol | in code | meaning | unit |
|---|---|---|---|
| $V$ | `num_bytes` | size of all gradients, or of all parameters, which are as many | bytes |
| $\beta$ | `bandwidth` | what a rank can send, while it receives as much | bytes / second |
| $\alpha$ | `latency` | time from sending to receiving an empty message | seconds |

A reduce-scatter and an all-gather each send $(R-1)/R\,V$ from every rank, and an all-reduce twice that (section 9.3).
For the gradients of a model with 7 billion parameters in 16 bits, $V = 14$ GB, on 8 ranks, these are 12.25 and 24.5
GB.

Do real ranks send that? Ranks on one machine talk through its loopback interface, and the Linux kernel counts every
byte that passes there, headers included. What *other* programs send through it in the meantime is counted too (a
notebook talks to its page in that way), so the smallest of three counts is taken.

Before you run it: what should an all-reduce, an all-gather and a reduce-scatter send on 4 ranks, in units of $V$? One
of gloo's three will surprise you.
"""

# %%
COUNTER = Path("/proc/net/dev")
CAN_COUNT = COUNTER.exists() and " lo:" in COUNTER.read_text()


def loopback_bytes():
    """Return how many bytes have been sent through the loopback interface since the machine started."""
    rows = [line.split() for line in COUNTER.read_text().splitlines()]
    return next(int(row[9]) for row in rows if row[0] == "lo:")


def sent_by_each(action):
    """Return the bytes that each rank sends in action(), on average over the ranks."""
    counts = []
    for _ in range(3):
        dist.barrier()
        before = loopback_bytes()
        dist.barrier()  # nobody begins before everybody has read the counter
        action()
        dist.barrier()
        counts.append(loopback_bytes() - before)
    return min(counts) / dist.get_world_size()


# %%
def count_collectives():
    """Return what a rank sends in each collective, in units of the tensor."""
    num_ranks = dist.get_world_size()
    whole = torch.ones(1_200_000, dtype=torch.float32)  # 4.8 MB
    received = torch.empty_like(whole)
    share = torch.empty_like(whole[: len(whole) // num_ranks])

    def exchange():
        """Do a reduce-scatter by hand: everybody gets the pieces of its own share, and adds them up."""
        dist.all_to_all_single(received, whole)
        return received.view(num_ranks, -1).sum(dim=0)

    actions = {
        "all_reduce": lambda: dist.all_reduce(whole),
        "all_gather": lambda: dist.all_gather(list(received.chunk(num_ranks)), share),
        "reduce_scatter": lambda: dist.reduce_scatter(share, list(whole.chunk(num_ranks))),
        "by hand": exchange,
    }
    return {name: sent_by_each(action) / whole.nbytes for name, action in actions.items()}


if CAN_COUNT:
    print("ranks   (R-1)/R   " + "   ".join(["all_reduce", "all_gather", "reduce_scatter", "by hand"]))
    for num_ranks in (2, 3, 4):
        all_reduce, all_gather, reduce_scatter, by_hand = ranks.run(count_collectives, num_ranks)[0].values()
        print(f"{num_ranks:5d} {(num_ranks - 1) / num_ranks:9.3f}", end="")
        print(f"{all_reduce:13.3f} {all_gather:12.3f} {reduce_scatter:16.3f} {by_hand:9.3f}")
else:
    print("This system does not count bytes in /proc/net/dev, as Linux does: the measurement is left out.")

# %% [markdown]
r"""
**What you see**, on Linux with PyTorch 2.13. The all-reduce sends $2(R-1)/R$ of its tensor and the all-gather half of
that, to within one percent, which is headers. The reduce-scatter should cost as much as the all-gather, and costs as
much as the all-reduce: gloo's *is* an all-reduce whose result is thrown away up to the rank's own share (pytorch
#118911 and #149869 say so; gloo is there for tests, and NCCL has a real one). Done by hand, by sending every rank the
pieces of its share, it costs half. The number of bytes belongs to the algorithm, not to the name of the function.

**From collectives to a step.** What each strategy keeps decides what it must send. Lesson 08 has the memory; here is
when they send it. The whole model passes through

| strategy | before each forward pass | before each backward pass | after each backward pass | after the last backward pass | after the optimizer's step |
|---|---|---|---|---|---|
| DDP | | | all-reduce of gradients | | |
| DDP with `no_sync` | | | | all-reduce | |
| ZeRO-1 | | | | reduce-scatter | all-gather of parameters |
| ZeRO-2 | | | reduce-scatter | | all-gather |
| ZeRO-3 | all-gather | all-gather | reduce-scatter | | |
| ZeRO-3, whole gradients kept | all-gather | all-gather | | reduce-scatter | |

* ZeRO-1: each rank updates only its share of the parameters, so it needs only the sum of its share of the gradients.
* ZeRO-2 does not keep whole gradients, so it must reduce those of each micro-batch before the next one comes.
  DeepSpeed therefore refuses `no_sync` at stages 2 and 3, with an assertion (since 0.16; DeepSpeed #6793).
* ZeRO-3 does not keep whole parameters either. They are gathered, layer by layer, and thrown away after use: once
  for the forward pass and once more for the backward pass. After the optimizer's step there is nothing to gather.

With a single micro-batch: DDP sends two times round the ring, $2(R-1)/R\,V$. ZeRO-1 sends *the same two halves of an
all-reduce*, with the optimizer's step between them, so its memory is saved for free. ZeRO-3 sends three times round
the ring instead of two, half as much again (Rajbhandari et al. 2020, section 7). What happens with $K$ micro-batches
is your exercise. (Course notes say that accumulation divides communication by $K$. In which rows of the table is
that so?)

## Exercise 9.3: `step_bytes` (2 points, 8 minutes, core)

Return the bytes that one rank sends in one optimizer step.

- `strategy`: `"ddp"`, `"ddp no_sync"`, `"zero1"`, `"zero2"` or `"zero3"`
- `num_bytes`: $V$, the bytes of all gradients, and of all parameters
- `num_ranks`: $R \ge 1$; `accumulation_steps`: $K \ge 1$
- returns a number of bytes; `step_bytes("ddp", 14e9, 8, 1)` is `24.5e9`
- raises `ValueError` for any other strategy

<details><summary>Hint 1 (click to open): what to count</summary>

How often does the whole model go once round the ring? A reduce-scatter or an all-gather is one time round, an
all-reduce is two.
</details>

<details><summary>Hint 2 (click to open): the code</summary>

A dictionary `{strategy: times round the ring}`, some of whose values contain `accumulation_steps`. Each time costs
`(num_ranks - 1) / num_ranks * num_bytes`.
</details>
"""


# %% solution="step_bytes"
def step_bytes(strategy, num_bytes, num_ranks, accumulation_steps=1):
    """Return the bytes that one rank sends in one optimizer step of so many micro-batches."""
    ### BEGIN SOLUTION
    times_round = {
        "ddp": 2 * accumulation_steps,
        "ddp no_sync": 2,
        "zero1": 2,
        "zero2": accumulation_steps + 1,
        "zero3": 3 * accumulation_steps,
    }
    if strategy not in times_round:
        raise ValueError(f"no strategy is called {strategy!r}; there are {', '.join(times_round)}")
    return times_round[strategy] * (num_ranks - 1) / num_ranks * num_bytes
    ### END SOLUTION


# %% tests="step_bytes_by_hand" points=1
# 7 billion parameters in 16 bits on 8 ranks: DDP with one micro-batch, then all strategies with four.
_once = 7 / 8 * 14  # GB, once round the ring
check(
    step_bytes("ddp", 14e9, 8, 1) / 1e9,
    24.5,
    unit="GB",
    what="DDP",
    mistakes={
        "this sends the whole tensor to 8 ranks; on a ring each rank sends pieces of an eighth to one other": 112.0,
        "this sends the whole tensor to the 7 others; on a ring each rank sends pieces to one other": 98.0,
        "this is only one phase; an all-reduce is a reduce-scatter and an all-gather": 12.25,
        "this is the limit for very many ranks; 8 of them send seven eighths of it": 28.0,
        "this is one piece; each phase sends R - 1 of them": 1.75,
        "this is one piece in each of the two phases; each phase sends R - 1 of them": 3.5,
        "this is the size of the tensor, which nobody sends just once": 14.0,
        "this is what all 8 ranks send together; asked for is one of them": 196.0,
    },
)
check(
    [step_bytes(_strategy, 14e9, 8, 4) / 1e9 for _strategy in ("ddp", "ddp no_sync")],
    [98.0, 24.5],
    unit="GB",
    what="DDP and DDP with no_sync, four micro-batches",
    mistakes={
        "without no_sync, the gradients of each micro-batch are reduced": [24.5, 24.5],
        "no_sync sends once a step, however many micro-batches there are": [98.0, 98.0],
        "with no_sync what is sent once a step is still all of it": [98.0, 6.125],
        "DDP sends four times as much without no_sync; with it, once": [24.5, 6.125],
    },
)
check(
    step_bytes("zero1", 14e9, 8, 4) / 1e9,
    24.5,
    unit="GB",
    what="ZeRO-1, four micro-batches",
    mistakes={
        "ZeRO-1 keeps whole gradients, so it reduces them once a step, not in each micro-batch": 61.25,
        "this sends gradients and parameters in each micro-batch; once a step is enough": 98.0,
        "gradients are reduced, and the new parameters gathered: two times round the ring": 12.25,
        "a rank needs only its own share of the sum: a reduce-scatter, not an all-reduce": 36.75,
    },
)
check(
    step_bytes("zero2", 14e9, 8, 4) / 1e9,
    5 * _once,
    unit="GB",
    what="ZeRO-2, four micro-batches",
    mistakes={
        "this reduces once a step; ZeRO-2 keeps no whole gradients, so it must do so in each micro-batch": 2 * _once,
        "this gathers the parameters in each micro-batch; they change only once a step": 8 * _once,
        "this reduces in each micro-batch; the new parameters must be gathered, too, once": 4 * _once,
        "a reduce-scatter is one time round the ring; the all-reduce would be two": 9 * _once,
    },
)
check(
    step_bytes("zero3", 14e9, 8, 4) / 1e9,
    12 * _once,
    unit="GB",
    what="ZeRO-3, four micro-batches",
    mistakes={
        "this forgets the micro-batches: parameters are gathered and gradients reduced in each of them": 3 * _once,
        "this is what DDP sends: ZeRO-3 gathers twice a micro-batch, once for each pass, and reduces once": 8 * _once,
        "this reduces gradients only once a step; there is no room for whole gradients in between": 9 * _once,
        "this gathers parameters only once for the whole step; they are thrown away after each use": 6 * _once,
        "there is nothing to gather after the optimizer's step: the next forward pass gathers anyway": 13 * _once,
        "this reduces with an all-reduce; a reduce-scatter, half of it, is enough": 16 * _once,
    },
)
check_raises(ValueError, step_bytes, "zero4", 14e9, 8, 1, because="there is no such strategy")

# %% tests="step_bytes_properties" points=1
# Checked when you are graded: the other strategies, one rank, very many ranks, and how the bytes grow with K.
### BEGIN HIDDEN TESTS
_late = {"the gradients are sent once a step here, however many micro-batches there are": 4800.0}
_early = {"without no_sync, every backward pass is followed by an all-reduce": 600.0}
check(step_bytes("ddp", 400, 4, 8), 4800.0, what="DDP, 8 micro-batches", mistakes=_early)
check(step_bytes("ddp no_sync", 400, 4, 8), 600, what="DDP with no_sync, 8 micro-batches", mistakes=_late)
check(
    step_bytes("zero1", 400, 4, 8),
    600,
    what="ZeRO-1, 8 micro-batches",
    mistakes={
        **_late,
        "ZeRO-1 keeps whole gradients, so it reduces them once a step": 9 * 300.0,
        "this gathers the new parameters twice, or reduces with an all-reduce": 900.0,
        "this forgets one of the halves: gradients are reduced, and parameters gathered": 300.0,
    },
)
check(step_bytes("zero2", 400, 4, 1), 600, what="ZeRO-2, one micro-batch")
check(step_bytes("zero3", 400, 4, 1), 900, what="ZeRO-3, one micro-batch")
for _strategy, _round in {"ddp": 10, "ddp no_sync": 2, "zero1": 2, "zero2": 6, "zero3": 15}.items():
    check(step_bytes(_strategy, 1e9, 1, 5), 0.0, atol=1e-3, what=f"{_strategy} on a single rank")
    check(step_bytes(_strategy, 1e9, 10**6, 5), _round * 1e9, rtol=1e-4, what=f"{_strategy} on a million ranks")
    check(step_bytes(_strategy, 30, 3, 5), 20 * _round, what=f"{_strategy}, 30 bytes on 3 ranks, 5 micro-batches")
check_raises(ValueError, step_bytes, "fsdp", 14e9, 8, 1, because="it is none of the five names")
### END HIDDEN TESTS

# %% [markdown]
r"""
`largebatch.collectives` counts the same way. Now PyTorch's own implementations, on 2 ranks with 4 micro-batches:
`DistributedDataParallel`; it together with `ZeroRedundancyOptimizer`, PyTorch's ZeRO-1; and `fully_shard`, its
ZeRO-3. The latter has a kind of `no_sync`, too: gradients stay whole until the last micro-batch, which takes memory,
and only parameters are gathered in the others. Once round the ring is the unit.
"""

# %%
from torch.distributed.optim import ZeroRedundancyOptimizer

from largebatch import collectives

K, R = 4, 2
layers = nn.Sequential(*(nn.Linear(640, 640, bias=False) for _ in range(4))).float()
ones = torch.ones(2, 640, dtype=torch.float32)
once = (R - 1) / R * sum(weight.nbytes for weight in layers.parameters())


def accumulate(model, optimizer, context=nullcontext):
    """Do one optimizer step of K micro-batches, all but the last one inside the context."""
    for micro_batch in range(K):
        with context() if micro_batch < K - 1 else nullcontext():
            model(ones).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()


def count_steps():
    """Return what a rank sends in a step, by strategy, in units of once round the ring."""
    replica = DistributedDataParallel(copy.deepcopy(layers))
    adam = torch.optim.Adam(replica.parameters())
    sharing = ZeroRedundancyOptimizer(replica.parameters(), optimizer_class=torch.optim.Adam)
    actions = {
        "ddp": lambda: accumulate(replica, adam),
        "ddp no_sync": lambda: accumulate(replica, adam, replica.no_sync),
        "zero1": lambda: accumulate(replica, sharing, replica.no_sync),
    }
    sharded, mesh = copy.deepcopy(layers), init_device_mesh("cpu", (R,))
    for part in (*sharded, sharded):
        fully_shard(part, mesh=mesh)
    adam_of_shares = torch.optim.Adam(sharded.parameters())

    @contextmanager
    def keep_whole():
        sharded.set_requires_gradient_sync(False)
        yield
        sharded.set_requires_gradient_sync(True)

    actions["zero3"] = lambda: accumulate(sharded, adam_of_shares)
    actions["zero3 no_sync"] = lambda: accumulate(sharded, adam_of_shares, keep_whole)
    return {name: sent_by_each(action) / once for name, action in actions.items()}


if CAN_COUNT:
    print("strategy        times round   measured on gloo")
    for strategy, measured in ranks.run(count_steps, R)[0].items():
        predicted = sum(collectives.PHASES[name] * n for name, n in collectives.passes(strategy, K).items())
        print(f"{strategy:14s} {predicted:9d} {measured:17.2f}")
else:
    print("This system does not count bytes in /proc/net/dev, as Linux does: the measurement is left out.")

# %% [markdown]
r"""
**What you see.** DDP sends four times as much without `no_sync` as with it, as predicted. The other rows do not
agree, and the reasons are worth knowing:

* `ZeroRedundancyOptimizer` sits on top of DDP, which has all-reduced the gradients already; it then broadcasts the
  new parameters, once more round the ring: 3, not 2. "For free" holds where a reduce-scatter takes the place of the
  all-reduce, as in Megatron's distributed optimizer.
* `fully_shard` gathers twice and reduces once in every micro-batch, as ZeRO-3 does. On gloo the reduce-scatter is an
  all-reduce in disguise and counts twice: $4K = 16$ in place of $3K = 12$, and $2K + 2 = 10$ in place of $2K + 1 = 9$
  where it comes only once.

### From bytes to seconds

Each of the $2(R-1)$ rounds of a ring all-reduce sends one message of $V/R$ bytes, which takes $\alpha + (V/R)/\beta$.
The rounds come one after the other:

$$
\text{seconds} = 2(R-1)\Big(\alpha + \frac{V}{R\beta}\Big) = 2(R-1)\,\alpha + 2\,\frac{R-1}{R}\cdot\frac{V}{\beta} .
$$

Bytes hardly grow with $R$, but messages do. *Halving and doubling* needs fewer of them: in $\log_2 R$ rounds the
ranks exchange a half, a quarter, an eighth … of the tensor with partners ever closer, then go back the same way; the
bytes are the same, $V\,(\frac12 + \frac14 + \dots + \frac1R) = \frac{R-1}{R}\,V$ each way, in $2\log_2 R$ messages
(Thakur et al. 2005). Does it matter? First all gradients of the 7B model at once on 8 ranks, then a piece of 25 MB,
the size of the portions (*buckets*) in which DDP sends its gradients, with an assumed latency of 10 µs:
"""

# %%
for name, bandwidth in {"NVLink, 300 GB/s": 300e9, "InfiniBand, 25 GB/s": 25e9}.items():
    print(f"14 GB on 8 ranks, {name}: {collectives.seconds('all-reduce', 14e9, 8, bandwidth):.2f} s")
print("\n25 MB at 25 GB/s   bytes alone (ms)   ring (ms)   halving and doubling (ms)")
for num_ranks in (8, 64, 512, 4096):
    machine = 25e6, num_ranks, 25e9
    alone, ring = (collectives.seconds("all-reduce", *machine, latency) for latency in (0, 1e-5))
    halving = collectives.seconds("all-reduce", *machine, 1e-5, "halving-doubling")
    print(f"{num_ranks:10d} ranks {1e3 * alone:16.2f} {1e3 * ring:14.2f} {1e3 * halving:17.2f}")

# %% [markdown]
r"""
**What you see.** For large tensors only the bandwidth matters. For a bucket it is the latency that grows: on 512
ranks the ring spends five times as long on waiting for messages as on bytes. Goyal et al. 2017 (section 4) found
halving and doubling three times faster than the ring on 32 servers.

**When it is sent** matters as much. A backward pass begins at the last layer, and the gradients of that layer are
complete long before those of the first: DDP sends them while the others are still being computed. With $L$ equal
layers, each with a backward pass of $t$ and an all-reduce of $c$ seconds, how long does computation wait in the end?

1. The gradient of the first layer to finish is there at time $t$, that of the $i$-th at $i t$.
2. There is one network, so all-reduce $i$ begins when gradient $i$ is there and all-reduce $i-1$ is done. It is done
   at $d_i = \max(i t,\, d_{i-1}) + c$, with $d_0 = 0$.
3. If $c \le t$, each all-reduce is done before the next gradient comes: $d_{i-1} \le it$, so $d_L = L t + c$.
4. If $c > t$, the network never pauses once it has begun: $d_L = t + L c$.
5. The backward pass itself takes $L t$. What is left is *exposed*: $d_L - L t$, which is $c$ in one case and $L c -
   (L-1) t = c + (L-1)(c-t)$ in the other, each time the larger of the two:

$$
\text{exposed} = \max\big(c,\; L c - (L-1)\,t\big) .
$$

The engine of the demo below goes through such a step event by event; with 12 layers:
"""

# %%
print("all-reduce / backward pass   exposed, by the formula   event by event   (in backward passes of one layer)")
for ratio in (0.1, 0.5, 1.0, 1.5, 3.0):
    events = collectives.timeline("ddp", 12, layer_bytes=1.0, layer_seconds=0.5, num_ranks=2, bandwidth=1 / ratio)
    print(f"{ratio:26.1f} {max(ratio, 12 * ratio - 11):25.2f} {events.exposed_seconds:16.2f}")

# %% [markdown]
r"""
**What you see.** As long as a layer's all-reduce is quicker than its backward pass, all but one of them are hidden.
Beyond that, each of the others sticks out by $c - t$.

**Try it.** In this step 7 billion parameters in 32 layers run on 8 ranks. A rank computes 400 TFLOP/s (2 operations
for each parameter and token in the forward pass, 4 in the backward pass) and can send 50 GB/s. ZeRO-3 asks for the
parameters of a layer while the layer before it is computed; ZeRO-2's parameters of the last step are gathered at the
start of this one, where they are needed. Time for the optimizer's own arithmetic is left out, and whether it fits in
memory is the question of lesson 08.
"""

# %%
demos.step_timeline()

# %% [markdown]
r"""
The same machine once more, in numbers:
"""

# %%
print("tokens of a micro-batch    K   strategy      GB sent   step (s)   waiting")
for tokens, num_micro in ((4096, 4), (8192, 4), (4096, 16)):
    for strategy in ("ddp", "ddp no_sync", "zero2", "zero3"):
        forward = 2 * 7e9 / 32 * tokens / 4e14  # seconds a layer
        events = collectives.timeline(strategy, 32, 14e9 / 32, forward, 8, 50e9, 1e-5, accumulation_steps=num_micro)
        gigabytes = collectives.step_bytes(strategy, 14e9, 8, num_micro) / 1e9
        print(f"{tokens:23,} {num_micro:4d}   {strategy:12s} {gigabytes:8.1f}", end="")
        print(f"{events.seconds:11.2f} {events.exposed_seconds / events.seconds:9.0%}")

# %% [markdown]
r"""
**You should have seen** that bytes are not time. `no_sync` divides the bytes by four, and the step takes three
quarters of the time: what it saves is the waiting after the first three micro-batches. With $K = 4$, ZeRO-2 sends two
and a half times as much as DDP with `no_sync` and takes a little *less* time: a layer's reduce-scatter fits behind
the backward pass of the next one, an all-reduce, twice as long, does not. Give every micro-batch twice the tokens,
and computation takes twice as long while the bytes stay: even ZeRO-3, with six times the bytes of `no_sync`, waits
for one percent of the step. More accumulation, at the same micro-batch, helps those that wait mostly once a step:
`no_sync`, and ZeRO-2, whose reduce-scatters are hidden. DDP without `no_sync` and ZeRO-3 wait for the same share
however large $K$ is. How far either way may go is not a question of networks: it is the critical batch size of lesson
05.

## Exercise 9.4: `quiz_step` (1 point, 4 minutes, core)

Which of these statements hold? On a ring, with $K = 8$ micro-batches where it matters. Answer with a set of letters.

- **A** In an all-reduce on 64 ranks, each rank sends about 64 times as many bytes as on one of 2 ranks with a tensor
  of the same size.
- **B** A reduce-scatter followed by an all-gather of its results is an all-reduce, and sends as many bytes.
- **C** Accumulating over 8 micro-batches divides the bytes of a step by 8, compared with reducing in each of them,
  for DDP as well as for ZeRO-3.
- **D** ZeRO-2 sends more in a step of 8 micro-batches than ZeRO-1.
- **E** If a step of DDP computes for 1.7 s and its collectives, one after the other, take 2.0 s, it lasts 3.7 s at
  least.
- **F** A tensor cut into 100 buckets takes, bucket after bucket, as long as the whole tensor at once, because the
  bytes are the same.
- **G** With one micro-batch, ZeRO-3 sends one and a half times as many bytes as DDP.
- **H** Where `no_sync` divides the bytes of a step by 8, it divides the time of the step by 8.
"""

# %% solution="quiz_step"
### BEGIN SOLUTION answer_quiz_step = set()  # for example {"A", "B"}
answer_quiz_step = {"B", "D", "G"}
### END SOLUTION

# %% tests="quiz_step_choice" points=1
# The verdict on each of your letters, with the reason.
check_choice("quiz_step", answer_quiz_step)

# %% [markdown]
r"""
## 9.5 Two broken scripts

Replicas agree to the last bit, or something is wrong: that is the strongest test there is for data parallelism, and
it is cheap. Keep a copy of every parameter and gradient just before each optimizer step, on every rank, and ask for
the *first* difference. It names a step, a tensor and, where most ranks agree, the rank that does not. From there on
everything differs, and who looks at the loss, weeks later, looks at the wrong end. `ranks.snapshot(model)` takes the
copies, `ranks.first_difference` compares them.

**Script 1.** It trains with a batch-size warmup: one micro-batch a step in the first three steps, then four. In the
place of `no_sync()` it sets the flag that `no_sync()` sets, a line that stands in many a training loop:
"""


# %%
def script_one(model, optimizer, micro_batches):
    """Take one optimizer step; `model` is a network in DistributedDataParallel."""
    for number, batch in enumerate(micro_batches, start=1):
        loss = loss_of(model, batch) / len(micro_batches)
        model.require_backward_grad_sync = number == len(micro_batches)
        loss.backward()
    optimizer.step()
    optimizer.zero_grad()


# %% [markdown]
r"""
The lens is put on the optimizer, so that the script stays as it is:
"""


# %%
def watch(step_of, schedule=(1, 1, 1, 4, 4)):
    """Train on this rank with schedule[s] micro-batches in step s; return its snapshots and the averagings of each step."""
    model, sent = counted(network())
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    snapshots, averagings = [], []
    optimizer.register_step_pre_hook(lambda *_: snapshots.append(ranks.snapshot(model.module)))
    for step, accumulation_steps in enumerate(schedule):
        before, first = len(sent), dist.get_rank() * accumulation_steps
        step_of(model, optimizer, [examples(step, first + number) for number in range(accumulation_steps)])
        averagings.append(len(sent) - before)
    return snapshots, averagings


histories, averagings = zip(*ranks.run(watch, 3, script_one), strict=True)
print("averagings in each step:", averagings[0])
print("first difference:       ", ranks.first_difference(histories))

# %% [markdown]
r"""
The count looks right: one averaging a step, whether the step has one micro-batch or four. And yet the ranks part in
step 3, the first one with four micro-batches. The whole picture, by step and tensor:
"""


# %%
def draw_gaps(histories, title):
    """Draw how far the ranks are apart, step by step and tensor by tensor."""
    names, num_steps = list(histories[0][0]), len(histories[0])
    apart = [[ranks.gap([history[step][name] for history in histories]) for step in range(num_steps)] for name in names]
    figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
    shades = np.ma.masked_equal(apart, 0.0)
    image = axes.imshow(shades, cmap="viridis_r", aspect="auto", vmin=0)
    axes.set(xlabel="step", xticks=range(num_steps), yticks=range(len(names)), yticklabels=names, title=title)
    axes.grid(False)
    figure.colorbar(image, label="largest difference between ranks")
    plt.show()


draw_gaps(histories, "Script 1 (white: equal to the last bit)")

# %% [markdown]
r"""
**What you see.** Gradients part in step 3; the weights follow one step later, when the unequal gradients have been
applied. All tensors are in it, so it is not about a layer; it starts with the second micro-batch of a step, so it is
about accumulation.

DDP averages once a step, but *which* gradients?

## Exercise 9.5: `repaired_step` (2 points, 10 minutes, core)

Copy the body of script 1 and change as little as you can, so that replicas stay equal to the last bit, and equal to
one process up to rounding, with one averaging a step.

- `model`: a network in `DistributedDataParallel`; `optimizer`: its optimizer
- `micro_batches`: list of $K \ge 1$ batches for `loss_of`, all of one size
- returns nothing; the gradients are `None` afterwards

In the check the gradient of the step is 4; script 1 steps with 3 on one rank and 5 on the other.

<details><summary>Hint 1 (click to open): when is the flag read?</summary>

Look at the example in `help(DistributedDataParallel.no_sync)`: what belongs inside? Then write down the flag's value
at each *forward* pass of a step with four micro-batches, starting with what the step before has left.
</details>

<details><summary>Hint 2 (click to open): the order</summary>

DDP reads the flag in its forward pass, and only there. Set it before `loss_of` calls the model; or use `no_sync()`
around forward and backward, which also puts the flag back when an error comes in between.
</details>
"""


# %% solution="repaired_step"
def repaired_step(model, optimizer, micro_batches):
    """Take one optimizer step; `model` is a network in DistributedDataParallel."""
    ### BEGIN SOLUTION
    for number, batch in enumerate(micro_batches, start=1):
        model.require_backward_grad_sync = number == len(micro_batches)
        loss = loss_of(model, batch) / len(micro_batches)
        loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    ### END SOLUTION


# %% tests="repaired_step_two_micro_batches" points=1
# Two ranks, two micro-batches of one example each, which have the gradients 1, 3 and 5, 7.
def _step_of_two(step_of):
    model = nn.Linear(1, 2, bias=False)
    nn.init.zeros_(model.weight)  # an example of class 1 with input 2g then has the gradient g
    model, sent = counted(model)
    reduced, all_reduce = [], dist.all_reduce

    def counting(tensor, *args, **options):
        reduced.append(tensor.numel())
        return all_reduce(tensor, *args, **options)

    dist.all_reduce = counting  # in this rank's process only; the communication hook calls it, too
    batches = [(torch.tensor([[2.0 * gradient]]), torch.tensor([1])) for gradient in [[1, 3], [5, 7]][dist.get_rank()]]
    step_of(model, torch.optim.SGD(model.parameters(), lr=1.0), batches)
    left = model.module.weight.grad
    return -float(model.module.weight[0, 0].detach()), len(sent), len(reduced), left is None or not left.any()


_results = ranks.run(_step_of_two, 2, repaired_step, timeout=20)
for _rank, (_gradient, _averaged, _reduced, _cleared) in enumerate(_results):
    check(
        _gradient,
        4.0,
        what=f"gradient that rank {_rank} stepped with",
        mistakes={
            "only the first micro-batch was averaged, as in script 1": [3.0, 5.0][_rank],
            "nothing was averaged": [2.0, 6.0][_rank],
            "the gradient is the mean over micro-batches: divide each loss by their number": 8.0,
            "only the last micro-batch is in it": 2.5,
        },
    )
    check(
        _averaged,
        1,
        what=f"averagings on rank {_rank}",
        mistakes={
            "each micro-batch was averaged: the flag must be false for all but the last, in the forward pass, too": 2,
            "DDP never averaged: the flag must be true in the last forward pass": 0,
        },
    )
    check(
        _reduced,
        1,
        what=f"all-reduces on rank {_rank}",
        mistakes={"gradients went round twice: DDP averages by itself, so no all-reduce of yours is needed": 2},
    )
    if not _cleared:
        raise WrongAnswer("no gradients after the step", "gradients", "call optimizer.zero_grad() after the step")

# %% tests="repaired_step_through_the_lens" points=1
# Checked when you are graded: three ranks, numbers of micro-batches that change from step to step, seen through the lens and against one process.
### BEGIN HIDDEN TESTS
_schedule = (2, 1, 5, 3)
_histories, _averagings = zip(*ranks.run(watch, 3, repaired_step, _schedule, timeout=30), strict=True)
assert ranks.first_difference(_histories) is None, f"the ranks differ: {ranks.first_difference(_histories)}"
check(list(_averagings[0]), [1, 1, 1, 1], what="averagings in steps of 2, 1, 5 and 3 micro-batches")
_alone = network()
_optimizer = torch.optim.AdamW(_alone.parameters(), lr=0.01)
for _step, _number_of in enumerate(_schedule):
    for _number in range(3 * _number_of):
        (loss_of(_alone, examples(_step, _number)) / (3 * _number_of)).backward()
    _gradient = torch.cat([_histories[0][_step][f"{_name}.grad"].flatten() for _name, _ in _alone.named_parameters()])
    _expected = nn.utils.parameters_to_vector(_weight.grad for _weight in _alone.parameters())
    check(_gradient, _expected, what=f"gradient of step {_step}, against one process", rtol=0, atol=1e-9)
    _optimizer.step()
    _optimizer.zero_grad()
### END HIDDEN TESTS

# %% [markdown]
r"""
DDP (with its usual, compiled reducer) reads the flag in its forward pass, and only there: that is where it prepares
the coming backward pass for averaging, or not. So this is what script 1 did: at the first forward pass of a step, the
flag still stands as the step before has left it, at true. Micro-batch 0 is averaged; at the other three forward
passes the flag is false, and their gradients are added on each rank for itself. One averaging a step, of a quarter of
the gradient. This very line was repaired in a widely copied training script in June 2024 (build-nanogpt, pull request
30): its loss on held-out text after 1000 steps was 4.88 before and 4.15 after, one run each. Loss curves with the
error went down, too, just more slowly. (With `no_sync()` around the backward pass alone the same slip is harmless: it
puts the flag back each time, every forward pass finds it true, and every micro-batch is averaged. The result is right
and $K$ times the bytes are sent; modded-nanogpt, pull request 31.)

**Script 2** does without DDP. It averages the matrices during the backward pass, with a hook on each, and the
vectors, which are many and small, together at the end:
"""


# %%
def attach_hooks(matrices, is_last):
    """Let each matrix be averaged over the ranks in the last backward pass of a step; is_last() says whether this is it."""

    def average(gradient):
        if is_last():
            dist.all_reduce(gradient)
            gradient /= dist.get_world_size()
        return gradient

    for matrix in matrices:
        matrix.register_hook(average)


# %%
def watch_hooks(attach, schedule=(1, 1, 1, 4, 4)):
    """Train on this rank as watch() does, with hooks in the place of DDP; return its snapshots."""
    model, last, snapshots = network(), False, []
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    optimizer.register_step_pre_hook(lambda *_: snapshots.append(ranks.snapshot(model)))
    attach([weight for weight in model.parameters() if weight.dim() == 2], lambda: last)
    for step, accumulation_steps in enumerate(schedule):
        for number in range(accumulation_steps):
            last = number == accumulation_steps - 1
            batch = examples(step, dist.get_rank() * accumulation_steps + number)
            (loss_of(model, batch) / accumulation_steps).backward()
        vectors = [weight.grad for weight in model.parameters() if weight.dim() == 1]
        flat = torch.cat(vectors)
        dist.all_reduce(flat)
        for vector, mean in zip(
            vectors, (flat / dist.get_world_size()).split([v.numel() for v in vectors]), strict=True
        ):
            vector.copy_(mean)
        optimizer.step()
        optimizer.zero_grad()
    return snapshots


histories = ranks.run(watch_hooks, 3, attach_hooks)
print("first difference:", ranks.first_difference(histories))
draw_gaps(histories, "Script 2 (white: equal to the last bit)")

# %% [markdown]
r"""
**What you see.** Again in step 3, so again accumulation; but this time the vectors agree, in their gradients and in
their values, and only the matrices part. The lens has told the two paths of the script from each other: it is the one
with hooks that is broken.

(It has a second fault: PyTorch forbids hooks of this kind to change their argument in place.) A hook that is
registered with `register_hook` is given the gradient of *this backward pass*, before it is added to `.grad`. So only
the last micro-batch is averaged, and the sum of the three before is left as it is: the mirror image of script 1.

## Exercise 9.6: `attach_averaging` (2 points, 10 minutes, core)

Attach hooks like those of script 2, but such that after the last backward pass of a step `.grad` of each matrix is
the mean over the ranks of everything that was accumulated.

- `matrices`: list of parameters; `is_last`: function without arguments, true during the last backward pass of a step
- each matrix is all-reduced *once* a step, during the last backward pass; the mean is the same on all ranks to the
  last bit
- returns nothing

In the check the gradient is 4; script 2 leaves 3.5 on one rank and 4.5 on the other.

<details><summary>Hint 1 (click to open): which hook comes later?</summary>

PyTorch has a second kind of hook for parameters, which is called after the gradient of a backward pass has been added
to `.grad`: look at what `help(torch.Tensor)` lists under `register_`.
</details>

<details><summary>Hint 2 (click to open): what is it given?</summary>

`parameter.register_post_accumulate_grad_hook(function)` calls `function(parameter)`. Change `parameter.grad` in
place, and return nothing: this kind of hook must not.
</details>
"""


# %% solution="attach_averaging"
def attach_averaging(matrices, is_last):
    """Let .grad of each matrix be averaged over the ranks in the last backward pass of a step."""
    ### BEGIN SOLUTION

    def average(matrix):
        if is_last():
            dist.all_reduce(matrix.grad)
            matrix.grad /= dist.get_world_size()

    for matrix in matrices:
        matrix.register_post_accumulate_grad_hook(average)
    ### END SOLUTION


# %% tests="attach_averaging_two_micro_batches" points=1
# Two ranks, two micro-batches each, one matrix of one entry; the micro-batches have the gradients 1, 2 and 3, 10.
def _averaged_by(attach):
    matrix, last, reduced = nn.Parameter(torch.zeros(1, 1)), False, []
    all_reduce = dist.all_reduce

    def counting(tensor, *args, **options):
        reduced.append(tensor.numel())
        return all_reduce(tensor, *args, **options)

    dist.all_reduce = counting  # in this rank's process only
    attach([matrix], lambda: last)
    for number, slope in enumerate([[1.0, 2.0], [3.0, 10.0]][dist.get_rank()]):
        last = number == 1
        (slope * matrix / 2).sum().backward()
    return float(matrix.grad), len(reduced)


for _rank, (_gradient, _calls) in enumerate(ranks.run(_averaged_by, 2, attach_averaging, timeout=20)):
    check(
        _gradient,
        4.0,
        what=f"gradient on rank {_rank}",
        mistakes={
            "only the last micro-batch was averaged, as in script 2": [3.5, 4.5][_rank],
            "all but the last micro-batch was averaged: this hook comes before the last is in .grad": [2.0, 6.0][_rank],
            "this is what was accumulated, not averaged (what this hook is given is the parameter: average its .grad)": [
                1.5,
                6.5,
            ][_rank],
            "an all-reduce adds: divide by the number of ranks": 8.0,
            "the average of the last micro-batch is in it twice": [6.5, 7.5][_rank],
            "what was accumulated before is in it twice: what a tensor hook returns is added to it": [4.5, 5.5][_rank],
        },
    )
    check(
        _calls,
        1,
        what=f"all-reduces on rank {_rank}",
        mistakes={"each micro-batch was averaged: right, but it sends twice as much; ask is_last()": 2},
    )

# %% tests="attach_averaging_through_the_lens" points=1
# Checked when you are graded: script 2 with your hooks on three ranks, through the lens and against one process.
### BEGIN HIDDEN TESTS
_histories = ranks.run(watch_hooks, 3, attach_averaging, (2, 1, 4), timeout=30)
assert ranks.first_difference(_histories) is None, f"the ranks differ: {ranks.first_difference(_histories)}"
_alone = network()
_optimizer = torch.optim.AdamW(_alone.parameters(), lr=0.01)
for _step, _number_of in enumerate((2, 1, 4)):
    for _number in range(3 * _number_of):
        (loss_of(_alone, examples(_step, _number)) / (3 * _number_of)).backward()
    _gradient = torch.cat([_histories[0][_step][f"{_name}.grad"].flatten() for _name, _ in _alone.named_parameters()])
    _expected = nn.utils.parameters_to_vector(_weight.grad for _weight in _alone.parameters())
    check(_gradient, _expected, what=f"gradient of step {_step}, against one process", rtol=0, atol=1e-9)
    _optimizer.step()
    _optimizer.zero_grad()
### END HIDDEN TESTS

# %% [markdown]
r"""
**What the lens cannot see.** It compares the ranks with one another. Where all ranks make the same mistake, such as a
sum for a mean, or the mean of means of 9.1, they agree to the last bit. So there are two tests, and both are cheap on
a small model: ranks against ranks, exactly; ranks against one process, up to rounding.

## 9.6 What the ranks give for free

Lesson 06 estimated the noise scale from gradients of two batch sizes. Data parallelism makes both in every step:
before the averaging, each rank holds the gradient of its own micro-batches; after it, that of the global batch. All
that is needed besides is the mean of the ranks' squared norms, one number. By hand, for 4 ranks with one micro-batch
of 4 examples:
"""


# %%
def two_norms(num_steps):
    model = network()
    rows = []
    for step in range(num_steps):
        model.zero_grad()
        loss_of(model, examples(step, dist.get_rank())).backward()
        gradient = nn.utils.parameters_to_vector(weight.grad for weight in model.parameters())
        small = gradient.square().sum()
        dist.all_reduce(small)
        dist.all_reduce(gradient)
        rows.append([float(small) / dist.get_world_size(), float((gradient / dist.get_world_size()).square().sum())])
    return np.mean(rows, axis=0)


small, big = ranks.run(two_norms, 4, 60)[0]
squared_norm = (16 * big - 4 * small) / (16 - 4)
trace = (small - big) / (1 / 4 - 1 / 16)
print(f"|g|² of 4 examples {small:.4f}, of 16 examples {big:.4f}: noise scale {trace / squared_norm:.1f} examples")


# %% [markdown]
r"""
The formulas for `squared_norm` and `trace` are lesson 06's, with means over all steps before the division. In the
place of that by hand, `NoiseMeter` does it for any loop, with DDP, with accumulation, or with both. Pieces are
pieces: four ranks with one micro-batch and one process with four must read the same.
"""


# %%
def metered(num_steps):
    model = DistributedDataParallel(network())
    meter = NoiseMeter(model, micro_batch=4, memory=None)  # None: all steps count alike
    mine = range(dist.get_rank(), 4, dist.get_world_size())
    for step in range(num_steps):
        model.zero_grad()
        for number in mine:
            with nullcontext() if number == mine[-1] else model.no_sync():
                (loss_of(model, examples(step, number)) / len(mine)).backward()
        meter.step()
    return str(meter)


# %%
for num_ranks in (4, 2, 1):
    print(f"{num_ranks} ranks: {ranks.run(metered, num_ranks, 60)[0]}")

# %% [markdown]
r"""
**What you see.** The same figures from 4, 2 and 1 ranks, because the gradients are the same ones; and the interval
says how little 60 steps of four such small pieces know. On a cluster the pieces are large and the steps many.

## 9.7 Which schedule fits?

Memory (lesson 08), bytes and seconds (section 9.4) pull against each other, and the order of the operations decides
who wins. Here you write such orders yourself, for a machine that computes nothing and counts everything. It knows of
every GB what it is, and of every gradient which micro-batches are in the sum, and how often. What makes no sense it
refuses, and it holds the whole step against three budgets: what a rank may hold, what it may send, and how long the
step may take.

A schedule is a function that every rank runs, with `m` for the rank. A layer has half a billion parameters in 16
bits: 1 GB of weights, 1 GB of gradients, 6 GB of optimizer state (2, 2 and 12 bytes a parameter). Time is counted in
forward passes of one layer; in one of them a rank can send 1 GB. There are $R$ ranks, $L$ layers (`m.layers`, from 0
to $L-1$) and $K$ micro-batches on each rank (`m.micro_batches`).

| call | needs | does | time | GB sent by a rank |
|---|---|---|---|---|
| `m.load(weights="whole", optimizer="whole")` | comes first | holds all layers; each of the two may be a `"shard"`, $1/R$ | 0 | 0 |
| `m.forward(layer, micro_batch)` | whole weights, activations of the layer before | 2 GB of activations | 1 | 0 |
| `m.backward(layer, micro_batch)` | whole weights, activations, `backward` of the layer after | adds to the whole gradient, 1 GB; the activations are gone | 2 | 0 |
| `m.all_reduce(layer)` | whole gradients | the sum over the ranks, whole, on each of them | as sent | $2(R-1)/R$ |
| `m.reduce_scatter(layer)` | whole gradients | each rank keeps its shard of the sum, added to the one that it has; the whole is gone | as sent | $(R-1)/R$ |
| `m.all_gather(layer)` | a shard of the weights on each rank | whole weights on every rank | as sent | $(R-1)/R$ |
| `m.free(layer)` | gathered weights | only the shard stays | 0 | 0 |
| `m.update(layer)` | optimizer state, and a gradient with every micro-batch of every rank once | new weights; the gradient is gone | 0.5, a shard $0.5/R$ | 0 |

**Smallest case.** Two ranks, two layers, one micro-batch, data parallelism as in section 9.1. Before you run it: in
which operation does a rank hold most?
"""


# %%
def one_micro_batch(m):
    m.load()
    for layer in m.layers:
        m.forward(layer, 0)
    for layer in reversed(m.layers):
        m.backward(layer, 0)
    for layer in m.layers:
        m.all_reduce(layer)
        m.update(layer)


run = Machine(num_ranks=2, num_layers=2, num_micro_batches=1).run(one_micro_batch)
run.check()
_ = run.draw()

# %% [markdown]
r"""
**What you see.** Wherever there is room, a bar carries the number of its layer. By hand: weights and optimizer state
take $2 \cdot (1 + 6) = 14$ GB from beginning to end. (The colours of the lower picture are its own.) The forward
passes add $2 \cdot 2 = 4$ GB of activations. The first backward pass, that of layer 1, needs them all and makes 1 GB
of gradient: 19 GB. From then on, each backward pass gives 2 GB back and makes 1. An all-reduce of 1 GB between two
ranks sends $2 \cdot \frac12 = 1$ GB, two of them 2 GB. The time is $2 \cdot 1 + 2 \cdot 2$ for the passes and $2
\cdot (1 + 0.5)$ for the rest, 9.

The ranks compute, then they send, then they compute: nothing overlaps here, because a rank waits for each call to be
done. We come back to that.

What does the machine refuse? First, an update without the all-reduce. Then a schedule with two micro-batches and an
all-reduce after each. Before you run it: is the second one wasteful but right, or wrong?
"""


# %%
def no_all_reduce(m):
    m.load()
    m.forward(0, 0)
    m.backward(0, 0)
    m.update(0)


def all_reduce_each_time(m):
    m.load()
    for micro_batch in m.micro_batches:
        m.forward(0, micro_batch)
        m.backward(0, micro_batch)
        m.all_reduce(0)
    m.update(0)


for schedule, num_micro_batches in ((no_all_reduce, 1), (all_reduce_each_time, 2)):
    try:
        Machine(num_ranks=2, num_layers=1, num_micro_batches=num_micro_batches).run(schedule)
    except Refused as refusal:
        print(f"{schedule.__name__}: {refusal}\n")

# %% [markdown]
r"""
**What you see.** The first message is the bug of a rank that trains alone. The second is less obvious. Write $g_{rk}$
for the gradient of micro-batch $k$ on rank $r$:

1. After the first all-reduce both ranks hold $g_{00} + g_{10}$.
2. The next backward pass adds to it. Rank 0 holds $g_{00} + g_{10} + g_{01}$, rank 1 $g_{00} + g_{10} + g_{11}$.
3. The second all-reduce adds these two: $2 g_{00} + 2 g_{10} + g_{01} + g_{11}$.

All four gradients are in the sum, so a list of names would find nothing wrong. A sum is not a set: what counts is how
*often* each is in it. With powers of ten for the four gradients, the digits of the sum show it:
"""

# %%
gradients_of = np.array([[1, 10], [100, 1000]])  # rank × micro-batch
for name, reduce in (("sum", np.sum), ("average", np.mean)):
    first = reduce(gradients_of[:, 0])  # the same on both ranks
    each_time, at_the_end = reduce(first + gradients_of[:, 1]), reduce(gradients_of.sum(axis=1))
    print(f"all-reduce with {name:8s} after each micro-batch: {each_time:7.1f}   at the end: {at_the_end:7.1f}")

# %% [markdown]
r"""
**What you see.** With sums, micro-batch 0 of both ranks counts twice. With averages, what was averaged before is the
same on both ranks, the average of equal numbers is that number, and nothing is counted twice. That is why
`DistributedDataParallel`, which averages, is right without `no_sync` and merely sends $K$ times as much, whereas your
own loop with `dist.all_reduce`, which adds unless told otherwise, is wrong. The machine adds.

Does it judge rightly? `RealRank` has the same eight calls, with tensors and real collectives: a few layers of 12 ×
12 weights, and micro-batches of four examples. The truth is a single process with all examples at once.
"""


# %%
def trained_by(schedule, num_layers, num_micro_batches):
    m = RealRank(num_layers, num_micro_batches)
    schedule(m)
    return m.new_weights()  # of all layers, whole or this rank's shards: shape (layers, rows, 12)


def largest_difference(schedule, num_ranks, num_layers, num_micro_batches):
    """Return by how much the new weights differ from those of a single process."""
    expected = one_process(num_ranks, num_layers, num_micro_batches)
    parts = ranks.run(trained_by, num_ranks, schedule, num_layers, num_micro_batches)
    found = parts[0] if parts[0].shape == expected.shape else torch.cat(parts, dim=1)
    return (found - expected).abs().max().item()


for schedule, sizes in ((one_micro_batch, (2, 2, 1)), (no_all_reduce, (2, 1, 1)), (all_reduce_each_time, (2, 1, 2))):
    print(f"{schedule.__name__:21s} largest difference {largest_difference(schedule, *sizes):.0e}")

# %% [markdown]
r"""
**What you see.** What the machine accepts gives the weights of a single process, to rounding. The two that it refuses
run on real ranks without any complaint, and train something else.

## Exercise 9.7: `accumulate_schedule` (2 points, 10 minutes, core)

Write data parallelism with accumulation, for any number of ranks, layers and micro-batches.

- `m`: the rank; everything may be loaded whole (another schedule that fits the budgets is as good)
- returns nothing; the calls are what counts
- **memory**: 8 GB for each layer, and the activations of *one* micro-batch in all layers, 2 GB for each layer: $10 L$
- **sent**: one all-reduce of each layer, $2 L (R-1)/R$ GB
- **time**: that of the passes, the all-reduces and the updates one after the other; no overlap is needed
- for 2 ranks, 3 layers and 4 micro-batches: 30 GB, 3 GB, 40.5

Before you write it: is the peak higher in the first micro-batch, in the later ones, or the same in all?

<details><summary>Hint 1 (click to open): which loop is outside?</summary>

The one over micro-batches: all layers forward, then all layers backward, before the next micro-batch begins. Its
activations are gone then.
</details>

<details><summary>Hint 2 (click to open): where do all_reduce and update go?</summary>

After the loop over micro-batches. The gradients wait on each rank meanwhile, whole.
</details>
"""


# %%
def accumulation_machine(num_ranks, num_layers, num_micro_batches):
    """Return a machine with just enough for data parallelism with accumulation."""
    sent = 2 * (num_ranks - 1) / num_ranks * num_layers
    time = 3 * num_micro_batches * num_layers + sent + 0.5 * num_layers
    return Machine(num_ranks, num_layers, num_micro_batches, memory=10 * num_layers, sent=sent, time=time)


# %% solution="accumulate_schedule"
def accumulate_schedule(m):
    """Train one step on all micro-batches of all ranks, with one all-reduce of each layer."""
    ### BEGIN SOLUTION
    m.load()
    for micro_batch in m.micro_batches:
        for layer in m.layers:
            m.forward(layer, micro_batch)
        for layer in reversed(m.layers):
            m.backward(layer, micro_batch)
    for layer in m.layers:
        m.all_reduce(layer)
        m.update(layer)
    ### END SOLUTION


# %%
try:
    _ = accumulation_machine(2, 3, 4).run(accumulate_schedule).draw()
except Exception as reason:
    print("Your schedule is drawn here as soon as it runs:", reason)

# %% tests="accumulate_schedule_fits" points=1
# Two ranks, three layers, four micro-batches, within all three budgets.
accumulation_machine(2, 3, 4).run(accumulate_schedule).check()

# %% tests="accumulate_schedule_other_machines" points=1
# Checked when you are graded: other numbers of ranks, layers and micro-batches, and other sizes of
# activations.
### BEGIN HIDDEN TESTS
for _sizes in ((4, 5, 2), (3, 1, 3), (2, 4, 1), (1, 2, 2), (5, 2, 7)):
    accumulation_machine(*_sizes).run(accumulate_schedule).check()
replace(accumulation_machine(2, 3, 4), activations=5.0, memory=3 * (8 + 5)).run(accumulate_schedule).check()
### END HIDDEN TESTS

# %% [markdown]
r"""
**You should have seen** in the drawing (the dashed line is the budget, and every second micro-batch is paler) that
activations come and go with every micro-batch, while the gradients come once and stay: from the second micro-batch
on, they lie there even during the forward passes, and the peak is *higher* than in the first. Accumulation saves
activations. Of the gradients it saves nothing.

### When not even the weights fit

With shards the machine keeps $8/R$ GB of a layer instead of 8, but a pass needs whole weights, and it makes a whole
gradient. So weights are gathered, used and let go, and a gradient is scattered as soon as it is there. The smallest
case is a single layer:
"""


# %%
def one_layer(m):
    m.load(weights="shard", optimizer="shard")
    m.all_gather(0)
    m.forward(0, 0)
    m.backward(0, 0)
    m.reduce_scatter(0)
    m.free(0)
    m.update(0)


run = Machine(num_ranks=4, num_layers=1, num_micro_batches=1).run(one_layer)
run.check()
_ = run.draw()

# %% [markdown]
r"""
**What you see.** At rest a rank would hold $8/4 - 1/4 = 1.75$ GB, as there is no gradient. (The drawing begins with
the gather, whose room counts from its start, and ends with a shard of the gradient.) At the peak come 1 GB of whole
weights, 2 GB of activations and 1 GB of whole gradient on top: 5.75 GB. Each rank sends $2 \cdot \frac34 = 1.5$ GB,
as much as in an all-reduce; with several layers it will be more, because each layer is let go in between and gathered
again for its backward pass.

While they send, the ranks stand still. A collective that is started with `async_op=True` lets its rank go on at once;
only what needs the result waits for it. How much does that save, if the weights of layer 1 arrive during the forward
pass of layer 0?
"""


# %%
def two_forward_passes(m, async_op):
    m.load(weights="shard", optimizer="shard")
    m.all_gather(0)
    if async_op:
        m.all_gather(1, async_op=True)
    m.forward(0, 0)
    m.free(0)
    if not async_op:
        m.all_gather(1)
    m.forward(1, 0)


for async_op in (False, True):
    run = Machine(4, 2, 1).run(partial(two_forward_passes, async_op=async_op))
    print(f"async_op={async_op!s:5}: time {run.time:.2f}")

# %% [markdown]
r"""
**What you see.** The second gather has vanished behind the first forward pass, all 0.75 of it. The price is room:
during that pass the whole weights of two layers are there at once, while the rank that waits lets go of one before it
gathers the next.

## Exercise 9.8: `sharded_schedule` (3 points, 20 minutes, challenge)

Write a schedule for a budget that has no room for the whole weights and gradients of all layers.

- `m`: the rank; there are at least three layers
- **memory** for shards of everything, $8L/R$ GB, the activations of one micro-batch, $2L$ GB, and *three* whole
  things of 1 GB: the weights of the layer at work, its gradient, and the weights of one other layer
- **sent**: for each micro-batch, every layer is gathered twice and scattered once, $3 K L (R-1)/R$ GB
- for 4 ranks, 4 layers and 3 micro-batches: 19 GB (data parallelism takes 40) and 27 GB
- the third point is for the **time**: of each micro-batch, the ranks may wait for three collectives and no more, so
  $K (3 L + 3 (R-1)/R) + 0.5 L/R$ in all; 43.25 for the same numbers, 63.5 without overlap

<details><summary>Hint 1 (click to open): the first two points</summary>

Every layer of every pass, forward and backward: gather, pass, free. In the backward passes, scatter the gradient
before you go to the next layer. After all micro-batches, update.
</details>

<details><summary>Hint 2 (click to open): the third point</summary>

In each pass, gather the first layer and wait for it. Then, before each layer's own pass, start the gather of the
layer that comes next, if there is one. No reduce-scatter has to be waited for: `update`, or the next gather in the
queue of the link, waits by itself.
</details>
"""


# %%
def sharded_machine(num_ranks, num_layers, num_micro_batches, in_time=False):
    """Return a machine with just enough for sharded weights; in_time: also for the overlap with computing."""
    one_way = (num_ranks - 1) / num_ranks
    memory, sent = (8 / num_ranks + 2) * num_layers + 3, 3 * one_way * num_micro_batches * num_layers
    time = num_micro_batches * 3 * (num_layers + one_way) + 0.5 * num_layers / num_ranks
    budgets = {"memory": memory, "sent": sent, "time": time if in_time else float("inf")}
    return Machine(num_ranks, num_layers, num_micro_batches, **budgets)


# %% solution="sharded_schedule"
def sharded_schedule(m):
    """Train one step with shards of weights, gradients and optimizer state."""
    ### BEGIN SOLUTION
    m.load(weights="shard", optimizer="shard")
    for micro_batch in m.micro_batches:
        m.all_gather(0)
        for layer in m.layers:
            if layer + 1 in m.layers:
                m.all_gather(layer + 1, async_op=True)
            m.forward(layer, micro_batch)
            m.free(layer)
        m.all_gather(m.layers[-1])
        for layer in reversed(m.layers):
            if layer > 0:
                m.all_gather(layer - 1, async_op=True)
            m.backward(layer, micro_batch)
            m.reduce_scatter(layer, async_op=True)
            m.free(layer)
    for layer in m.layers:
        m.update(layer)
    ### END SOLUTION


# %%
try:
    run = sharded_machine(4, 4, 3).run(sharded_schedule)
    slow = replace(run.machine, bandwidth=0.5).run(sharded_schedule)
    print(f"your schedule: time {run.time:.2f}, and on a link half as fast {slow.time:.2f}")
    _ = run.draw()
except Exception as reason:
    print("Your schedule is drawn here as soon as it runs:", reason)

# %% tests="sharded_schedule_fits" points=1
# Four ranks, four layers, three micro-batches: memory and bytes.
sharded_machine(4, 4, 3).run(sharded_schedule).check()

# %% tests="sharded_schedule_in_time" points=1
# The same, in time: all but three collectives of a micro-batch run while the ranks compute.
sharded_machine(4, 4, 3, in_time=True).run(sharded_schedule).check()
### BEGIN HIDDEN TESTS
for _sizes in ((2, 6, 2), (8, 3, 4), (4, 5, 1)):
    sharded_machine(*_sizes, in_time=True).run(sharded_schedule).check()
### END HIDDEN TESTS

# %% tests="sharded_schedule_other_machines" points=1
# Checked when you are graded: other numbers of ranks, layers and micro-batches; the time does not
# count.
### BEGIN HIDDEN TESTS
for _sizes in ((2, 6, 2), (3, 4, 5), (8, 3, 3), (4, 5, 1)):
    sharded_machine(*_sizes).run(sharded_schedule).check()
### END HIDDEN TESTS

# %% [markdown]
r"""
Both of your schedules, on real ranks:
"""

# %%
for schedule, sizes in ((accumulate_schedule, (2, 3, 4)), (sharded_schedule, (3, 4, 2))):
    try:
        print(f"{schedule.__name__}:")
        Machine(*sizes).run(schedule).check()
        print(f"largest difference from one process {largest_difference(schedule, *sizes):.0e}\n")
    except Exception as reason:
        print(f"does not run yet: {reason}\n")

# %%
for name, machine in (("whole", accumulation_machine(4, 4, 3)), ("sharded", sharded_machine(4, 4, 3, in_time=True))):
    print(f"{name:8s} memory {machine.memory:4.0f} GB, sent {machine.sent:4.0f} GB, time {machine.time:6.2f}")
for bandwidth in (1, 0.5):
    one_reduce, one_backward = 2 * 3 / 4 / bandwidth, 2
    exposed = max(one_reduce, 4 * one_reduce - 3 * one_backward)  # section 9.4
    print(f"whole and overlapped, link {bandwidth:g}: time {3 * 3 * 4 + exposed + 0.5:6.2f}")

# %% [markdown]
r"""
**What you see.** Less than half of the memory is paid for with 4.5 times the bytes: this schedule goes $3K$ times
round the ring, the other one twice. (Whoever keeps the last layer whole from its forward to its backward pass sends a
little less.) The times compare a schedule that overlaps with one that does not. With each all-reduce started as soon
as its layer's gradient is complete, the formula of section 9.4 gives 38.0 for whole weights: sharding, in 43.25,
takes 14 % more time here. On a link half as fast it is 42.5 against 60.5 for the schedule of the hints (yours is
printed above once it runs, and may be a little quicker): the collectives then take longer than the passes beside
them, and the ranks wait in almost every layer.

What helps on a slow link is a larger micro-batch, as far as its activations fit: the passes take longer, and the
collectives do not, because weights and gradients are as large for many tokens as for few.

**Where the machine breaks.** Real collectives have a latency and take a part of the GPU; real layers differ from each
other, a backward pass needs room for more than it keeps, and libraries set aside the room for a gather when it is
called, not when it begins. The machine is right about what must be there when, and how often it counts.
"""

# %% [markdown]
r"""
## 9.8 From a notebook to a cluster

A worker knows its place from `dist.get_rank()` and `dist.get_world_size()` and nothing else. So the code that ran
here in forks runs unchanged wherever something starts the processes and tells them how to meet. That something is
`torchrun`. The file `examples/train.py` trains a small transformer as this lesson has derived it: tokens counted over
all ranks, accumulation under `no_sync()`, a noise meter. First in forks:
"""

# %%
script = Path(largebatch.__file__).parents[1] / "examples" / "train.py"
train = runpy.run_path(str(script))["train"]


def in_float32():
    torch.set_default_dtype(torch.float32)  # as in the script; in this rank's process only
    return train(20)


losses = ranks.run(in_float32, 2)

# %% [markdown]
r"""
`torchrun` starts new Python processes in the place of forks. It belongs in a terminal (in JupyterLab: File, New,
Terminal), in the course folder; after some seconds, most of them for importing PyTorch in each process, the first
command prints the same line once more. In a cell, `ranks.torchrun(script, 2)` does the same.

| where | command |
|---|---|
| one machine, 2 ranks | `torchrun --standalone --nproc-per-node=2 examples/train.py` |
| each of 4 machines with 8 GPUs | `torchrun --nnodes=4 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint=HOST:29500 --rdzv-id=1 examples/train.py` |
| a cluster with SLURM | `sbatch examples/train.slurm` |

`HOST` is one of the machines, the same in all commands. Each machine starts its own ranks; they meet at the endpoint,
and `--rdzv-id` keeps two jobs apart. With one GPU a rank the script uses NCCL, the library for GPUs; with fewer GPUs
than ranks it falls back to gloo, because NCCL refuses two ranks on one GPU; it prints which. The SLURM file and the
GPU ways have been written with care, but were not run on such machines.
"""

# %% [markdown]
r"""
## Recap

* Ranks are processes. $R$ ranks with $K$ micro-batches each take the step of one process with $RK$: to the last bit
  the same on all ranks, up to rounding the same as one process (9.1).
* With unequal tokens a rank's loss is $R/T$ times its *sum*, and $T$ takes one small collective more (9.1).
* A sum in the place of a mean hardly shows in AdamW's weights where nothing is clipped, and always in the gradient
  norm (9.2).
* A ring all-reduce is a reduce-scatter and an all-gather; a rank sends $2(R-1)/R\,V$ (9.3). Which of them a step
  makes, how often, and behind what they hide, is the difference between DDP and the stages of ZeRO (9.4).
* The first difference between ranks names the step, the tensor and, where most agree, the rank (9.5). Averaging
  belongs to the sum that was accumulated: not to the first micro-batch (the late flag), not to the last one (the hook
  that comes too early).
* Ranks give the noise scale for one number more a step (9.6).
* Memory, bytes and time are budgets: a schedule trades one for another (9.7).

## Where this breaks

* **One machine with gloo.** Bytes and results carry over to NCCL; seconds do not. Gloo's reduce-scatter is an
  all-reduce (9.4).
* **To the last bit** holds between replicas of one run on one kind of device. Sharded parameters (ZeRO-3, tensor
  parallelism) differ between ranks on purpose; some GPU kernels add in an order of their own, and then replicas that
  recompute a thing by themselves, such as a norm, can part.
* **Buffers and random numbers** are not averaged by DDP: batch-norm statistics are sent from rank 0, dropout masks
  differ on purpose, and a data loader that is seeded alike on all ranks trains all of them on the same examples.
* **All ranks, same collectives, same order.** Whatever depends on the data of one rank, such as skipping a bad batch,
  must be decided together.
* **The communication model** of 9.4 has one network of one speed. Real clusters are fast inside a machine and slow
  between machines.

## Sources

PyTorch documentation: DistributedDataParallel and its `no_sync`, FSDP2 (`fully_shard`), torchrun, communication hooks
· Li et al. 2020, PyTorch Distributed (arXiv 2006.15704) · Goyal et al. 2017, minibatch SGD in one hour (arXiv
1706.02677), remark 3 and section 4 · Rajbhandari et al. 2020, ZeRO (arXiv 1910.02054), section 7 · Thakur et al.
2005, optimization of collective communication in MPICH · the late flag: karpathy/build-nanogpt, pull request 30 ·
token counts over ranks: huggingface/transformers, pull request 34373
"""
