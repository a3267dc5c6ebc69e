# %% [markdown]
r"""
# 08 · What fits on one GPU, and what does sharding buy?

The weights of a model with 7 billion parameters are 14 GB of 16-bit numbers, and in the usual mixed precision with
Adam a GPU with 80 GB cannot hold its training. Where the other 100 GB go, which of them GPUs can *shard* (each keeps
a part), and which not: that is arithmetic. Here you do it, and then you count. The formulas for model states and for
saved activations are compared with the bytes of real tensors in real processes.

**You will** count what a training step holds; predict the bytes of a rank for the stages of ZeRO, which shard more
and more of it; list what a transformer layer keeps for its backward pass and check the list to the byte; find out
what fits, how many ranks it takes, and where no number of ranks helps; repair two published calculations; measure
data parallelism and three stages of ZeRO on real ranks; and write the heart of a sharded AdamW.

**You need** lessons 01 (ranks, micro-batch) and 02 (accumulation; saved activations).

**Minutes** 150, in two sittings: 8.1 to 8.4, then the rest

**Points** 15
"""

# %%
import copy
import math
import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # once it has used a GPU, a process cannot be forked

import matplotlib.pyplot as plt
import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint, set_checkpoint_early_stop
from torch.utils.flop_counter import FlopCounterMode

from largebatch import demos, ranks
from largebatch.activations import saved_bytes
from largebatch.check import WrongAnswer, check, check_raises, described
from largebatch.quiz import check_choice
from largebatch.transformer import Attention, blocks

plt.style.use("largebatch.course")
torch.set_num_threads(1)

# %% [markdown]
r"""
| symbol | in code | meaning | unit |
|---|---|---|---|
| $\Psi$ | `num_params` | parameters of the model | – |
| $N$ | `num_ranks` | data-parallel ranks, one GPU each | – |
| – | `zero_stage` | stage of ZeRO, 0 (nothing is sharded) to 3 | – |
| $b$ | `sequences`, `micro_batch` | sequences that a rank runs at once | sequences |
| $s$ | `length` | tokens in a sequence | tokens |
| $h$, $a$, $L$ | `width`, `heads`, `num_layers` | shape of the transformer | – |
| $K$ | `accumulation_steps` | micro-batches before one optimizer step | – |

GB are $10^9$ bytes. (Some tools print GiB, $2^{30}$ bytes, under the name GB: a unit 7 % larger, a number 7 %
smaller.)

## 8.1 The ledger of one parameter

**Smallest case.** A layer with a million weights, one step of AdamW. Which tensors exist after it?
"""

# %%
torch.manual_seed(0)
layer = nn.Linear(1000, 1000, bias=False)
optimizer = torch.optim.AdamW(layer.parameters())
layer(torch.randn(1, 1000)).sum().backward()
optimizer.step()
tensors = {"weights": layer.weight, "gradient": layer.weight.grad, **optimizer.state[layer.weight]}
for name, tensor in tensors.items():
    print(f"{name:11s} {tensor.dtype!s:14s} {tensor.numel() * tensor.element_size():>9,} bytes")

# %% [markdown]
r"""
**What you see.** Four numbers of 4 bytes for each weight, 16 bytes in all: the weight, its gradient, and Adam's two
running averages $m$ (of the gradient) and $v$ (of its square). And a step counter, 4 bytes for the whole tensor.

With 16-bit weights, should it not be half? The forward and backward pass run well on 16 bits. The *update* does not:
it can be a thousandth of the weight, and a bfloat16 number has room for 8 significant bits. Before you run it: 100
steps of −0.001, starting at 1, in both formats?
"""

# %%
in_16_bits, in_32_bits = torch.ones(1, dtype=torch.bfloat16), torch.ones(1)
for _ in range(100):
    in_16_bits -= 0.001
    in_32_bits -= 0.001
print(f"bfloat16 {in_16_bits.item():.4f}, float32 {in_32_bits.item():.4f}")

# %% [markdown]
r"""
**What you see.** Below 1, neighbouring bfloat16 numbers are 0.004 apart. Each step is rounded away, and the weight
never moves.

So *mixed precision* keeps two versions. Forward and backward pass use 16-bit weights and give 16-bit gradients. The
optimizer updates a 32-bit copy, the **master copy**, with 32-bit $m$ and $v$, and rounds it to new 16-bit weights.
The same layer:
"""

# %%
half = copy.deepcopy(layer).to(torch.bfloat16)
half.zero_grad()
master = nn.Parameter(layer.weight.detach().clone())
optimizer = torch.optim.AdamW([master])
half(torch.randn(1, 1000, dtype=torch.bfloat16)).sum().backward()
master.grad = half.weight.grad.float()  # a 32-bit gradient, for the moment of the step only
optimizer.step()
master.grad = None
with torch.no_grad():
    half.weight.copy_(master)

moments = [optimizer.state[master][name] for name in ("exp_avg", "exp_avg_sq")]
each = [tensor.element_size() for tensor in (half.weight, half.weight.grad, master, *moments)]
print("bytes a parameter:", " + ".join(map(str, each)), "=", sum(each))

# %% [markdown]
r"""
**What you see.** 16 bytes again: what the weights and gradients save, the master copy takes. Weights, gradients and
optimizer state together are the **model states**. Mixed precision buys speed, and about half the activations (section
8.3), but no smaller model states: with 7 billion parameters these 16 bytes are 112 GB. (So counts the ZeRO paper,
Rajbhandari et al. 2020, section 3.1.)

Course notes that we follow count 2 bytes a parameter for the weights, 8 for $m$ and $v$, 2 or 4 for gradients, and no
master copy: 12 or 14 bytes, 84 or 98 GB. That is more than 80 already, yet they let such a model "barely fit" on 80
GB with a batch of one.

## Exercise 8.1: `held_bytes` (2 points, 8 minutes, warm-up)

Count what a model and its optimizer really hold.

- `model`: a module; some parameters may be *tied* (two layers use the same tensor), some *frozen*
  (`requires_grad=False`), and they need not all have the same number of bytes for each entry
- `optimizer`: a torch optimizer over parameters of the model
- returns `(parameters, gradients, optimizer)`, three whole numbers of bytes: the parameters of the model; those of
  their gradients that exist; all tensors of the optimizer's state, its step counters too
- for the float32 layer above, after a step, `(4_000_000, 4_000_000, 8_000_004)`

<details><summary>Hint 1 (click to open): where are these tensors?</summary>

`model.parameters()` gives each parameter once, however often it is used. `parameter.grad` is a tensor or `None`.
`optimizer.state` is a dictionary whose values are dictionaries, and their values are mostly tensors
(`torch.is_tensor`).
</details>

<details><summary>Hint 2 (click to open): how many bytes does a tensor have?</summary>

`tensor.numel() * tensor.element_size()`, or `tensor.nbytes`.
</details>
"""


# %% solution="held_bytes"
def held_bytes(model, optimizer):
    """Return the bytes of the parameters, of their gradients and of the optimizer's state."""
    ### BEGIN SOLUTION
    parameters = list(model.parameters())
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    values = [value for values in optimizer.state.values() for value in values.values()]
    state = [value for value in values if torch.is_tensor(value)]
    return tuple(sum(tensor.nbytes for tensor in part) for part in (parameters, gradients, state))
    ### END SOLUTION


# %% tests="held_bytes_by_hand" points=1
# bfloat16: an embedding of 40 numbers, a frozen layer of 20, and an output layer that shares the 40 of the embedding.
_tied = nn.Sequential(nn.Embedding(10, 4), nn.Linear(4, 4), nn.Linear(4, 10, bias=False)).to(torch.bfloat16)
_tied[2].weight = _tied[0].weight
_tied[1].requires_grad_(False)
_optimizer = torch.optim.AdamW([_tied[0].weight])  # a frozen layer has no place in an optimizer
_tied(torch.arange(10)).sum().backward()
_optimizer.step()
check(
    held_bytes(_tied, _optimizer),
    [120, 80, 164],
    what="parameters, gradients, optimizer",
    unit="bytes",
    mistakes={
        "the tied weight is counted twice; it is one tensor": [200, 160, 164],
        "the tied weight is counted twice among the parameters (a state_dict lists it under both names)": [
            200,
            80,
            164,
        ],
        "these are numbers, not bytes": [60, 40, 81],
        "these numbers do not have 4 bytes each: ask element_size()": [240, 160, 324],
        "a frozen parameter has no gradient, and the optimizer need not know it, but it is there": [80, 80, 164],
        "a frozen parameter has no gradient: its .grad is None": [120, 120, 164],
        "a frozen parameter has neither a gradient nor a state": [120, 120, 244],
        "this is twice the parameters; the frozen ones have no state, and each tensor with one has a counter": [
            120,
            120,
            240,
        ],
        "the step counter is missing: a tensor of 4 bytes": [120, 80, 160],
        "only one of Adam's two averages is there": [120, 80, 80],
        "this counts 4 + 4 + 8 bytes for each of the 60 numbers; ask the tensors that are there": [240, 240, 480],
    },
)

# %% tests="held_bytes_at_any_time" points=1
# Checked when you are graded: before the first backward pass, with momentum, with plain SGD, in 32 bits.
### BEGIN HIDDEN TESTS
_plain = nn.Sequential(nn.Linear(3, 5), nn.Linear(5, 2, bias=False))  # 15 + 5 + 10 numbers
for _make, _state in (
    (lambda parameters: torch.optim.SGD(parameters, lr=0.1), 0),
    (lambda parameters: torch.optim.SGD(parameters, lr=0.1, momentum=0.9), 120),
    (lambda parameters: torch.optim.AdamW(parameters), 252),
):
    _optimizer = _make(_plain.parameters())
    _plain.zero_grad()
    check(held_bytes(_plain, _optimizer), [120, 0, 0], what="before the first backward pass", unit="bytes")
    _plain(torch.ones(1, 3)).sum().backward()
    check(held_bytes(_plain, _optimizer), [120, 120, 0], what="before the first step", unit="bytes")
    _optimizer.step()
    check(held_bytes(_plain, _optimizer), [120, 120, _state], what=type(_optimizer).__name__, unit="bytes")
### END HIDDEN TESTS

# %% [markdown]
r"""
## 8.2 Who needs what, and when? ZeRO

In plain data parallelism (DDP, lesson 01) every rank holds the whole ledger: 64 ranks hold 64 equal copies of $m$,
of $v$, of everything. Which of them are needed? Go through a step.

1. **Forward and backward pass.** To compute, a rank needs the weights of the *layer at work*, the whole layer,
   because its own sequences pass through all of it. It does not need the other layers at that moment.
2. **After the backward pass of a layer** each rank has a gradient of the whole layer, from its own sequences. Nobody
   needs these $N$ gradients. What is needed is their mean, and only by whoever updates these weights.
3. **Update.** Adam works number by number: the new value of parameter $i$ depends on entry $i$ of the mean gradient,
   of the master copy, of $m$ and of $v$, and on nothing else. So it does not matter which rank does it.

Point 3 is the key. Let each rank update its own $N$-th of the parameters and send the result to the others. ZeRO
("zero redundancy optimizer", Rajbhandari et al. 2020) does so in three stages; each one includes those before it.

| stage | what is sharded: a rank keeps an $N$-th of it | when does a rank get what it does not keep? |
|---|---|---|
| 0 (DDP) | nothing | – |
| 1 | the optimizer state: master copy, $m$, $v$ | after the update it receives the new 16-bit weights |
| 2 | the gradients, too | a layer's gradients are summed and shared out as soon as they exist, then dropped |
| 3 | the 16-bit weights, too | layer by layer, just before use, in the forward and again in the backward pass |

Stage 3 pays for memory with communication: the weights of each layer travel to each rank twice for each micro-batch.
What all this costs is a question of lesson 09.

## Exercise 8.2: `model_state_bytes` (2 points, 10 minutes, core)

Return the bytes of model states on one rank, in the paper's mixed precision.

- `num_params`, `num_ranks`: at least 1; `zero_stage`: 0, 1, 2 or 3
- returns `(parameters, gradients, optimizer)` in bytes: 16-bit parameters and gradients; 32-bit master copy, $m$ and
  $v$ in the optimizer
- where $N$ does not divide $\Psi$, the mean over the ranks: no rounding
- for a billion parameters, stage 1, on 4 ranks: `(2e9, 2e9, 3e9)`
- raises `ValueError` where there are no parameters or no ranks, or the stage does not exist

<details><summary>Hint 1 (click to open): one rule for all stages?</summary>

The optimizer is sharded from stage 1 on, gradients from stage 2 on, parameters from stage 3 on. Each part is divided
by $N$ or by 1.
</details>

<details><summary>Hint 2 (click to open): in code</summary>

A part's divisor is `num_ranks if zero_stage >= … else 1`, with another stage for each. Check the arguments first.
</details>
"""


# %% solution="model_state_bytes"
def model_state_bytes(num_params, zero_stage, num_ranks):
    """Return the bytes of parameters, gradients and optimizer on one rank."""
    ### BEGIN SOLUTION
    if num_params < 1 or num_ranks < 1:
        raise ValueError(f"needed are parameters and ranks, not {num_params} and {num_ranks}")
    if zero_stage not in (0, 1, 2, 3):
        raise ValueError(f"zero_stage is 0, 1, 2 or 3, not {zero_stage}")
    parts = ((2, 3), (2, 2), (12, 1))  # bytes a parameter, and the stage from which on they are shared
    return tuple(size * num_params / (num_ranks if zero_stage >= first else 1) for size, first in parts)
    ### END SOLUTION


# %% tests="model_state_bytes_by_hand" points=1
# 7 billion parameters on 8 ranks: 112, 38.5, 26.25 and 14 GB. Then 5 parameters, which 8 ranks cannot share evenly.
_whole, _eighth = np.array([14e9, 14e9, 84e9]), np.array([14e9, 14e9, 84e9]) / 8
_right = {0: _whole, 1: [14e9, 14e9, 10.5e9], 2: [14e9, 1.75e9, 10.5e9], 3: _eighth}
for _stage, _bytes in _right.items():
    _other = {f"this is stage {stage}, not {_stage}": wrong for stage, wrong in _right.items() if stage != _stage}
    _shared = 8 if _stage else 1
    check(
        model_state_bytes(7 * 10**9, _stage, 8),
        _bytes,
        what=f"stage {_stage}: parameters, gradients, optimizer",
        unit="bytes",
        mistakes={
            **_other,
            "the 32-bit master copy is missing: the optimizer has 12 bytes a parameter": [*_bytes[:2], 56e9 / _shared],
            "no master copy, and gradients in 32 bits: the paper has 2 + 2 + 12": [
                _bytes[0],
                2 * _bytes[1],
                56e9 / _shared,
            ],
            "the master copy is the optimizer's; the parameters are those that the model computes with": [
                3 * _bytes[0],
                _bytes[1],
                56e9 / _shared,
            ],
            "this is training in 32 bits, 4 + 4 + 8; mixed precision has 2 + 2 + 12": [
                2 * _bytes[0],
                2 * _bytes[1],
                56e9 / _shared,
            ],
            "only the master copy is shared; m and v are of no use to another rank either": [*_bytes[:2], 59.5e9],
            "m and v are shared, the master copy is not": [*_bytes[:2], 35e9],
            "the gradients are kept in 16 bits, not 32": [_bytes[0], 2 * _bytes[1], _bytes[2]],
            "the weights are sharded as well: from stage 3 on": [1.75e9, _bytes[1], _bytes[2]],
            "the parameters are sharded one stage before the gradients; it is the other way round": [
                1.75e9,
                14e9,
                10.5e9,
            ],
            "each stage includes those before it: the optimizer is sharded, too": [*_bytes[:2], 84e9],
            (
                "stage 3 includes those before it: only the parameters are sharded here"
                if _stage == 3
                else "the optimizer is sharded first, the parameters last, at stage 3"
            ): [1.75e9, 14e9, 84e9],
            "the order is parameters, gradients, optimizer": [_bytes[2], _bytes[1], _bytes[0]],
            "the sum over all ranks; asked for is one rank": 8 * np.array(_bytes),
            "these are GiB in the place of bytes": np.array(_bytes) / 2**30,
            "these are GB in the place of bytes": np.array(_bytes) / 1e9,
        },
    )
check(
    model_state_bytes(5, 1, 8),
    [10, 10, 7.5],
    what="5 parameters on 8 ranks, stage 1",
    unit="bytes",
    mistakes={"this rounds; asked for is the mean over the ranks": [10, 10, 7], "this rounds up": [10, 10, 8]},
)
check_raises(ValueError, model_state_bytes, 7 * 10**9, 4, 8, because="there is no stage 4")

# %% tests="model_state_bytes_properties" points=1
# Checked when you are graded: the paper's example, one rank, all ranks together, odd sizes, impossible arguments.
### BEGIN HIDDEN TESTS
for _stage, _ranks_of_part in enumerate(([1, 1, 1], [1, 1, 64], [1, 64, 64], [64, 64, 64])):
    _parts = np.array([15e9, 15e9, 90e9]) / _ranks_of_part
    check(model_state_bytes(7.5e9, _stage, 64), _parts, what=f"7.5 billion parameters on 64 ranks, stage {_stage}")
    check(model_state_bytes(5, _stage, 1), [10, 10, 60], what=f"one rank, stage {_stage}")
    _share = 60 / (7 if _stage >= 1 else 1)
    check(model_state_bytes(5, _stage, 7)[2], _share, what=f"optimizer of 5 parameters on 7 ranks, stage {_stage}")
check(model_state_bytes(1000, 2, 10**6), [2000, 0.002, 0.012], what="very many ranks, stage 2: the parameters stay")
for _bad in ((0, 1, 8), (-7, 1, 8), (1000, 1, 0), (1000, 3, -2), (1000, 4, 8), (1000, -1, 8)):
    check_raises(ValueError, model_state_bytes, *_bad, because=f"{_bad} is no model, stage and number of ranks")
### END HIDDEN TESTS

# %% [markdown]
r"""
The paper's own example has 7.5 billion parameters on 64 ranks. (`largebatch.memory` holds what you have just written,
also for other bytes a parameter.)
"""

# %%
from largebatch import memory

print("GB       parameters  gradients  optimizer   in all")
for zero_stage in range(4):
    state = memory.model_state_bytes(7.5e9, zero_stage, 64)
    sizes = np.array([*state, state.total]) / 1e9
    print(f"stage {zero_stage}", "{:11.2f} {:10.2f} {:10.2f} {:8.2f}".format(*sizes))

# %%
num_ranks = 2 ** np.arange(11)
fig, axes = plt.subplots()
for stage, colour in enumerate(("C6", "C0", "C2", "C1")):
    held = [memory.model_state_bytes(7e9, stage, int(number)).total / 1e9 for number in num_ranks]
    axes.loglog(num_ranks, held, "o-", ms=4, color=colour)
    axes.text(1200, held[-1], f"stage {stage}: {held[-1]:.3g} GB", color=colour, va="center")
axes.axhline(80, color="k", lw=1, ls="--")
axes.text(1024, 76, "80 GB", va="top", ha="right", fontsize=9)
axes.set(xlabel="ranks N", ylabel="model states of a rank (GB)", xlim=(0.9, 1100))
axes.set_xticks([1, 4, 16, 64, 256, 1024], labels=[1, 4, 16, 64, 256, 1024])
axes.set_yticks([0.1, 1, 10, 100], labels=[0.1, 1, 10, 100])
_ = axes.minorticks_off()

# %% [markdown]
r"""
**What you see** (7 billion parameters). The first few ranks save most. Then stages 1 and 2 come to rest: what they do
not shard stays, $4\Psi$ at stage 1 and $2\Psi$ at stage 2, with any number of ranks. Only stage 3 goes on like
$16\Psi/N$.

**Sixteen is a convention.** Who counts what, with the source of each:
"""

# %%
print("bytes for each     parameters  gradients  optimizer  total    7B on 8 ranks, stage 1")
for name, convention in memory.CONVENTIONS.items():
    state = memory.model_state_bytes(7e9, 1, 8, name)
    sizes = (*convention[:3], convention.total, state.total / 1e9)
    print(name.ljust(18), "{:8d} {:10d} {:10d} {:8d} {:15.2f} GB".format(*sizes))
print()
for name, convention in memory.CONVENTIONS.items():
    print(f"{name}: {convention.source}")

# %% [markdown]
r"""
**What you see.** From 8 to 20 bytes, and they differ in the parts that the stages shard. Section 2.6 advised 32-bit
gradients for accumulation: these are the 18 bytes of Megatron. When two people disagree about what fits, ask first
what each of them counts. (The notes say that $m$ and $v$ are always kept in 32 bits. DeepSeek-V3 keeps them in 16.)

## 8.3 What a layer keeps for its backward pass

The rest of the memory depends on the batch. Lesson 02 counted the tensors that our small transformer saves. The
usual formula is that of Korthikanti et al. (2022), for a layer with dropout and 16-bit numbers. Each derivative says
what must be kept: a matrix product keeps both its inputs (weights are there anyway), layer norm and GELU their input,
softmax its output, dropout its mask, 1 byte for each number, and an addition nothing. In bytes; two rows are left to
you, and the sum says whether you have them right:

| operation | kept | bytes |
|---|---|---|
| layer norm (twice) | its input | $2 \cdot 2\,sbh$ |
| queries, keys, values | their shared input | $2\,sbh$ |
| queries × keys | both | $4\,sbh$ |
| softmax | its output, $s^2$ numbers for each head | $2\,as^2b$ |
| dropout behind it | its mask | $as^2b$ |
| attention × values | ? | ? |
| output projection | its input | $2\,sbh$ |
| dropout behind it | its mask | $sbh$ |
| first matrix of the MLP | its input | $2\,sbh$ |
| GELU | ? | ? |
| second matrix of the MLP | its input, four times as wide | $8\,sbh$ |
| dropout behind it | its mask | $sbh$ |
| **sum** | | $34\,sbh + 5\,as^2b = sbh\left(34 + 5\,\frac{as}{h}\right)$ |

<details><summary>The two rows (click to open)</summary>

Attention × values keeps both: the output of that dropout, a second array of $s^2$ numbers a head, and the values,
$2\,as^2b + 2\,sbh$. GELU keeps its input, four times as wide: $8\,sbh$.
</details>

Now count. A layer with these three dropouts is our block with another attention and one more module.
(`torch.native_dropout` keeps a mask of 1 byte, also on a CPU.) The layer norms also keep a mean and a scale for each
token, together $8\,sb$ bytes here, which the formula leaves out.
"""


# %%
class Dropout(nn.Module):
    """Dropout with a mask of one byte a number."""

    def forward(self, x):
        return torch.native_dropout(x, 0.1, True)[0]


class DropoutAttention(Attention):
    """The attention of the paper: dropout behind the softmax and behind the output projection."""

    def forward(self, x):
        by_head = (*x.shape[:2], self.heads, -1)
        projections = (self.to_queries, self.to_keys, self.to_values)
        queries, keys, values = (project(x).view(by_head).transpose(1, 2) for project in projections)
        scores = (queries * queries.shape[-1] ** -0.5) @ keys.transpose(2, 3)
        future = self.future[: x.shape[1], : x.shape[1]]
        attention = Dropout()(scores.masked_fill(future, float("-inf")).softmax(dim=-1))
        return Dropout()(self.to_output((attention @ values).transpose(1, 2).reshape(x.shape)))


# %%
width, heads = 64, 4
for sequences, length in ((1, 32), (4, 32), (1, 128)):
    [block] = blocks(1, width, heads, length)
    block.attention = DropoutAttention(width, heads, length)
    block.mlp.append(Dropout())
    inputs = torch.randn(sequences, length, width, dtype=torch.bfloat16)
    counted = saved_bytes(block.to(torch.bfloat16), inputs)
    formula = sequences * length * width * (34 + 5 * heads * length / width)
    norms = 8 * sequences * length
    print(f"b = {sequences}, s = {length:3d}: counted {counted:9,}, ", end="")
    print(f"formula {formula:9,.0f} + layer norms {norms:5,}")

# %% [markdown]
r"""
**What you see.** Equal to the byte. The second term grows with $s^2$: at 128 tokens it is already more than the
first.

Two ways to keep less.

**Flash attention** computes softmax and the product with the values piece by piece, and once more in the backward
pass. No array of $s^2$ numbers is ever stored: the $5\,as^2b$ bytes are gone, $34\,sbh$ stay. (Selective
recomputation, in the paper, reaches the same by running this part of the layer again.) In PyTorch it is
`scaled_dot_product_attention`, where that has a fused kernel: on a CPU, with dropout, it keeps the arrays after all.

**Checkpointing** (full recomputation) keeps only the *input* of each layer, $2\,sbh$ bytes. In the backward pass the
layer is run forward again, and for that moment, one layer at a time, it is there in full.

Count both, on our own block. Without dropout the two masks of $sbh$ are gone, 32 of 34 are left. Of the $5\,as^2b$ go
the mask, 1, and what dropout made of the softmax, 2: now the softmax's own output is the input of the product. A
layer is $sbh(32 + 2as/h)$ bytes. A stack of six:
"""


# %%
class FlashAttention(Attention):
    """The same function, computed in one piece."""

    def forward(self, x):
        by_head = (*x.shape[:2], self.heads, -1)
        projections = (self.to_queries, self.to_keys, self.to_values)
        queries, keys, values = (project(x).view(by_head).transpose(1, 2) for project in projections)
        mixed = nn.functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        return self.to_output(mixed.transpose(1, 2).reshape(x.shape))


class Checkpointed(nn.Sequential):
    """A stack that keeps the input of each layer only."""

    def forward(self, x):
        for layer in self:
            x = checkpoint(layer, x, use_reentrant=False)
        return x


# %%
torch.manual_seed(0)
length, num_layers = 128, 6
written_out = blocks(num_layers, width, heads, length)
flash = copy.deepcopy(written_out)
for block, original in zip(flash, written_out, strict=True):
    block.attention = FlashAttention(width, heads, length)
    block.attention.load_state_dict(original.attention.state_dict())
stacks = {"written out": written_out, "flash": flash, "checkpointed": Checkpointed(*written_out)}

inputs, numbers = torch.randn(2, length, width), 2 * length * width
reference = written_out(inputs)
for name, stack in stacks.items():
    assert torch.allclose(stack(inputs), reference, atol=1e-5)  # the same function
    kept = saved_bytes(copy.deepcopy(stack).to(torch.bfloat16), inputs.to(torch.bfloat16))
    print(f"{name:12s} {kept:9,} bytes, {kept / numbers / num_layers:5.2f} sbh a layer")
print(f"by formula: {32 + 2 * heads * length / width:.0f}, 32 and 2")

# %% [markdown]
r"""
**What you see.** 32 and a little (two numbers a token for each layer norm, one a token and head for flash attention)
instead of 48; and exactly 2. Over 128 tokens flash attention is a modest gain, over thousands the difference between
fitting and not. And the price of checkpointing? One forward pass more. A backward pass takes twice the
multiplications of a forward pass, one product for the gradient of the input and one for that of the weights, so a
step takes $1 + 2 = 3$ and with checkpointing $4$, a third more:
"""


# %%
def operations(stack):
    """Return the floating-point operations of a forward and a backward pass."""
    with FlopCounterMode(display=False) as counter:
        stack(inputs.clone().requires_grad_()).sum().backward()
    return counter.get_total_flops()


with FlopCounterMode(display=False) as counter:
    stacks["written out"](inputs)
usual, early = operations(stacks["written out"]), operations(stacks["checkpointed"])
with set_checkpoint_early_stop(False):
    full = operations(stacks["checkpointed"])
print(f"forward and backward: {usual / counter.get_total_flops():.2f} times the forward pass")
print(f"checkpointed: {full / usual:.3f} times that; as PyTorch does it, {early / usual:.3f} times")

# %% [markdown]
r"""
**What you see.** A third more. PyTorch stops each rerun as soon as the last tensor that the backward pass wants is
there. That spares our block its last matrix product, in this shape a quarter of a forward pass: 3.75 in the place of
4. (In other shapes it is another part, and a dropout behind that product would want it back.)

## Exercise 8.3: `activation_bytes` (2 points, 8 minutes, core)

Return the bytes of activations at their peak, of a model like that of the table (16 bits, with dropout).

- `sequences` $b$, `length` $s$, `width` $h$, `heads` $a$, `num_layers` $L$
- `flash`: whether attention is computed without arrays of $s^2$ numbers
- `checkpointed`: whether only the input of each layer is kept. The peak is then in the backward pass: all these
  inputs are still there, *and* one layer that has just been run again. (Its input is counted in both, as is usual: 2
  of 34.)
- leave out what the formula leaves out, and the end of the model; returns bytes
- for `activation_bytes(1, 10, 4, 2, 3)`: $40 \cdot (34 + 25) \cdot 3 = 7080$

<details><summary>Hint 1 (click to open): what to begin with?</summary>

One layer: $34\,sbh$, and $5\,as^2b$ unless it is flash attention.
</details>

<details><summary>Hint 2 (click to open): checkpointed</summary>

Two things are there at the peak. One grows with $L$, the other does not, and `flash` matters for that one only.
</details>
"""


# %% solution="activation_bytes"
def activation_bytes(sequences, length, width, heads, num_layers, flash=False, checkpointed=False):
    """Return the bytes of activations at their peak."""
    ### BEGIN SOLUTION
    numbers = sequences * length * width
    layer = numbers * (34 + (0 if flash else 5 * heads * length / width))
    return 2 * numbers * num_layers + layer if checkpointed else layer * num_layers
    ### END SOLUTION


# %% tests="activation_bytes_by_hand" points=1
# The shape of LLaMA-7B (32 layers, width 4096, 32 heads), two sequences of 2048 tokens. In units of sbh:
_sbh = 2 * 2048 * 4096
_cases = {
    (False, False): (
        114 * 32,
        {
            "the square term is missing: attention is written out here": 34 * 32,
            "a token attends to its own sequence only: these are two of 2048 tokens, not one of 4096": 194 * 32,
            "this is the block without dropout, 32 + 2as/h; the layer of the table has dropout": 64 * 32,
            "the square term lacks b: each sequence has its own arrays": 74 * 32,
        },
    ),
    (True, False): (
        34 * 32,
        {
            "the square term goes: flash attention keeps no arrays of s² numbers": 114 * 32,
            "the whole square term goes, the output of the softmax as well": 66 * 32,
            "this is the block without dropout; the layer of the table has dropout, with two masks of sbh": 32 * 32,
        },
    ),
    (False, True): (64 + 114, {"the layer that is run again has its square term: no flash attention here": 64 + 34}),
    (True, True): (64 + 34, {"the layer that is run again has no square term: flash attention": 64 + 114}),
}
for (_flash, _checkpointed), (_right, _mistakes) in _cases.items():
    _layer = 34 if _flash else 114
    if _checkpointed:
        _mistakes |= {
            "nothing was checkpointed: only the inputs of the layers are kept, and one layer": _layer * 32,
            "the layer that is run again is missing": 64,
            "this is the layer that is run again; the inputs of all layers are kept, too": _layer,
            "this leaves out the input of the layer that is run again; its input is counted in both": 62 + _layer,
            "this is one layer that is run again, and its input; the inputs of all layers are kept": 2 + _layer,
            "all layers are there in full; only one at a time is run again": (2 + _layer) * 32,
            "the inputs of all layers have 2 bytes a number: 2 sbh each": 32 + _layer,
        }
    else:
        _mistakes |= {
            "this is one layer of 32": _layer,
            "attention has 32 heads, each with its own array of s² numbers": 36.5 * 32,
            "the second term is 5 a s / h: s is 2048 here": (34 + 5 * 32 / 4096) * 32,
        }
    _mistakes |= {
        "this is one sequence of two": _right / 2,
        "the coefficients of the table are bytes already": _right * 2,
        "these are GB in the place of bytes": _right / 1e9,
    }
    check(
        activation_bytes(2, 2048, 4096, 32, 32, _flash, _checkpointed),
        _right * _sbh,
        what=f"flash={_flash}, checkpointed={_checkpointed}",
        unit="bytes",
        mistakes={cause: number * _sbh for cause, number in _mistakes.items()},
    )

# %% tests="activation_bytes_properties" points=1
# Checked when you are graded: proportional to the sequences; square in the length; one layer; other shapes.
### BEGIN HIDDEN TESTS
check(activation_bytes(1, 10, 4, 2, 3), 7080, unit="bytes", what="the small example")
_shape = (512, 96, 6, 5)
_one = activation_bytes(1, *_shape)
check(_one, 512 * 96 * (34 + 160) * 5, unit="bytes", what="512 tokens, width 96, 6 heads, 5 layers")
check(activation_bytes(7, *_shape), 7 * _one, unit="bytes", what="seven sequences in the place of one")
check(activation_bytes(1, 2 * 512, *_shape[1:], True), 2 * 512 * 96 * 34 * 5, unit="bytes", what="flash, twice as long")
check(activation_bytes(1, 2 * 512, *_shape[1:]), 2 * 512 * 96 * (34 + 320) * 5, unit="bytes", what="twice as long")
check(activation_bytes(3, 64, 32, 4, 1, False, True), 3 * 64 * 32 * 76, unit="bytes", what="one layer, checkpointed")
check(activation_bytes(1, 64, 32, 4, 9, flash=True, checkpointed=True), 64 * 32 * 52, unit="bytes", what="by keyword")
check(activation_bytes(1, 10, 12, 4, 1), 6080, unit="bytes", what="where a s / h is no whole number")
### END HIDDEN TESTS

# %%
tokens = 2 ** np.arange(9, 16)
a_layer = {
    name: np.array([memory.activation_bytes(1, int(s), 4096, 32, name) for s in tokens]) / 1e9
    for name in memory.RECOMPUTATIONS
}
curves = {
    "written out": 32 * a_layer["none"],
    "flash": 32 * a_layer["selective"],
    "flash and checkpointed": 32 * a_layer["full"] + a_layer["selective"],
}
for name, gigabytes in curves.items():
    print(f"{name:23s} {gigabytes[2]:5.2f} GB for one sequence of {tokens[2]} tokens")

# %%
fig, axes = plt.subplots()
for (name, gigabytes), colour in zip(curves.items(), ("C1", "C0", "C2"), strict=True):
    axes.loglog(tokens, gigabytes, "o-", ms=4, color=colour)
    axes.text(36000, gigabytes[-1], name, color=colour, va="center")
axes.axhline(80, color="k", lw=1, ls="--")
axes.text(480, 86, "80 GB", va="bottom", fontsize=9)
axes.set(xlabel="length of the sequence (tokens)", ylabel="activations (GB)", xlim=(470, 33500))
axes.set_xticks([512, 2048, 8192, 32768], labels=[512, 2048, 8192, 32768])
axes.set_yticks([0.1, 1, 10, 100, 1000], labels=[0.1, 1, 10, 100, 1000])
_ = axes.minorticks_off()

# %% [markdown]
r"""
**What you see** (shape of LLaMA-7B, counted as in the table). One sequence of 2048 tokens takes 31 GB with attention
written out, and 0.8 GB with both remedies. Written out, twice the length is up to four times the memory.

The end of the model has its own peak, for it makes a number for each token and each word of the vocabulary, the
*logits*: in 16 bits, once more in 32 for the softmax, and the gradient of these, at least $2 + 4 + 4$ bytes. (Plain
`cross_entropy` needs another 4 for a moment, a fused one less.) No ZeRO stage touches this, and neither does
checkpointing of the layers. But the logits are gone before the first layer is run again: at the peak there are the
inputs and the *larger* of the two, the logits or one layer.
"""

# %%
for vocabulary in (32_000, 128_000):
    gigabytes = memory.logit_bytes(2048, vocabulary) / 1e9
    print(f"vocabulary {vocabulary:7,}: {gigabytes:.2f} GB for 2048 tokens")

# %% [markdown]
r"""
## 8.4 What fits

**A worked example, as printed.** Course notes ask whether 7 billion parameters train on an 80 GB GPU, with one
sequence of 2048 tokens. Their ledger: parameters 14 GB, $m$ and $v$ 56, gradients in 32 bits 28, activations 2; sum
100, does not fit. With ZeRO-1 on 8 GPUs, $14 + 7 + 28 + 2 = 51$: fits, "29 GB free". Before you run the next cell:
which of the four entries are wrong, and what is missing?
"""


# %%
def activations_and_logits(kind, num_layers, width, heads):
    """Return the GB of one sequence of 2048 tokens at its peak, with the 32 000 words of LLaMA."""
    flash = memory.activation_bytes(1, 2048, width, heads, "selective")
    logits = memory.logit_bytes(2048, 32_000)
    if kind == "both":  # flash attention and checkpointing
        inputs = num_layers * memory.activation_bytes(1, 2048, width, heads, "full")
        return (inputs + max(flash, logits)) / 1e9
    layer = flash if kind == "flash" else memory.activation_bytes(1, 2048, width, heads)
    return (num_layers * layer + logits) / 1e9


# %%
beside = {kind: activations_and_logits(kind, 32, 4096, 32) for kind in ("written out", "flash", "both")}

row = "{:20s} {:>12} {:>12} {:>6} {:>6}".format
print(row("GB", "states alone", *(f"+ {kind}" for kind in beside)))
print(row("activations, logits", "", *(f"{kept:.1f}" for kept in beside.values())))
for name in ("ZeRO paper", "Megatron"):
    for zero_stage in (0, 1):
        state = memory.model_state_bytes(7e9, zero_stage, 8, name).total / 1e9
        totals = (f"{state + kept:.1f}" for kept in (0, *beside.values()))
        print(row(f"{name}, stage {zero_stage}", *totals))
inputs, again = 32 * memory.activation_bytes(1, 2048, 4096, 32, "full"), memory.logit_bytes(2048, 32_000)
print(f"both: inputs of the layers {inputs / 1e9:.2f} GB, logits {again / 1e9:.2f}")

# %% [markdown]
r"""
**What you see.** The entries 14, 56 and 28 are right as far as they go. Two things are wrong, and the conclusion,
that ZeRO-1 fits, holds only with less than the activations of written-out attention.

* *No master copy.* With it, a GPU alone needs 112 GB, or 126 with 32-bit gradients as in the notes; a rank of ZeRO-1
  needs 38.5 or 52.5.
* *Activations of 2 GB.* With attention written out they are 31 GB (0.7 of them the logits, which the notes forget),
  with flash attention 10, with checkpointing as well 1.2. So checkpointing cannot save "1.5 GB" of 2, as the notes
  have it: both remedies together save 30 of 31.
* *The conclusion.* With 32-bit gradients, ZeRO-1 and attention written out it is 83.8 GB and does not fit; with flash
  attention it does, with checkpointing as well all the more.

**A practice problem, as printed.** 13 billion parameters, 4 GPUs with 40 GB: which stage, which micro-batch? The
notes compute 65 GB a rank for ZeRO-2, and 45.5 for ZeRO-3, "still borderline" although they write > 40, with
activations "negligible"; checkpointing then saves 2 to 3 GB, and moving the optimizer to the *host*, the computer in
which the GPUs sit, leaves 19.5 and room for a micro-batch of 1 or 2. Before you run it: can checkpointing help here?
"""

# %%
print("GB                    on a rank   optimizer on the host:   rank   host")
for name in ("ZeRO paper", "Megatron"):
    for zero_stage in (2, 3):
        state = memory.model_state_bytes(13e9, zero_stage, 4, name)
        stays, host = memory.offloaded(state, 4)
        sizes = np.array([state.total, stays.total, host]) / 1e9
        print(f"{name}, stage {zero_stage}".ljust(20), "{:10.1f} {:29.1f} {:6.0f}".format(*sizes))

# %%
at_work = 12 * 5120**2 * (2 + 2) / 1e9  # one layer: 16-bit weights, gathered, and their gradient, before it is summed
needed = {kind: activations_and_logits(kind, 40, 5120, 40) for kind in ("flash", "both")}
print(
    f"one sequence {needed['flash']:.1f} GB with flash attention, {needed['both']:.1f} with both; layer at work {at_work:.1f}"
)
print("all of it at stage 3, GB on each of     4      6      7      9     10 GPUs")
for name in ("ZeRO paper", "Megatron"):
    for kind, kept in needed.items():
        totals = (memory.model_state_bytes(13e9, 3, number, name).total / 1e9 for number in (4, 6, 7, 9, 10))
        print(f"{name}, {kind}".ljust(33), *(f"{total + kept + at_work:6.1f}" for total in totals))

# %% [markdown]
r"""
**What you see.** On 4 GPUs ZeRO-3 leaves 52 or 58.5 GB of states, and checkpointing cannot help a total that contains
no activations. Nor are those negligible: with flash attention alone it takes 9 or 10 GPUs, with both remedies 6 or 7.
Moving the optimizer away does fit: 13 or 19.5 GB stay on the GPU, and beside them one sequence with flash attention
alone, ten or more with checkpointing. *And the host needs 156 GB*, which the notes forget to mention.

## Exercise 8.4: `smallest_num_ranks` (2 points, 10 minutes, core)

How many ranks does it take? Use the paper's 16 bytes.

- `num_params`, `zero_stage`: as before; `gpu_bytes`: memory of one GPU
- `other_bytes`: what each rank needs besides model states: activations, logits, buffers
- returns the smallest number of ranks with which a rank's states and the rest take at most `gpu_bytes`; `None` where
  no number of ranks is enough
- for a billion parameters, stage 3, a GPU of 8 GB and 2 GB of other things: 3
- `memory.model_state_bytes(num_params, zero_stage, num_ranks).total` is there to be used

<details><summary>Hint 1 (click to open): counting upwards</summary>

Try 1, 2, 3, … But where it never fits this never ends. What does a rank hold at least, at each stage, whatever the
number of ranks? (Look at the figure of section 8.2.)
</details>

<details><summary>Hint 2 (click to open): without counting</summary>

A rank holds $\text{fixed} + \text{shared}/N$. How small must $\text{shared}/N$ become? And what if nothing is shared
(stage 0), or nothing is left for it?
</details>
"""


# %% solution="smallest_num_ranks"
def smallest_num_ranks(num_params, zero_stage, gpu_bytes, other_bytes):
    """Return the smallest number of ranks that fits, or None."""
    ### BEGIN SOLUTION
    fixed = (16, 4, 2, 0)[zero_stage] * num_params
    shared = 16 * num_params - fixed
    left = gpu_bytes - other_bytes - fixed
    if left < 0 or (left == 0 and shared):
        return None
    return max(1, math.ceil(shared / left)) if shared else 1
    ### END SOLUTION


# %% tests="smallest_num_ranks_by_hand" points=1
# Stage 3: 70 billion parameters on GPUs of 80 GB, 11 GB of other things. Stages 2 and 1: 13 billion, 40 GB, 3 GB.
def _check_none_fits(case, cause, *arguments):
    """Check that the answer is None, in a process of its own, which is ended should it count for ever."""
    try:
        [got] = ranks.run(smallest_num_ranks, 1, *arguments, timeout=10)
    except ranks.RankFailed as error:
        if not str(error).startswith("not done"):
            raise
        cause = "where it never fits, counting upwards leads nowhere: what stays on a rank, however many there are?"
        raise WrongAnswer(f"None ({case})", "no answer within 10 seconds", cause) from None
    if got is not None:
        raise WrongAnswer(f"None ({case})", described(got), cause)
    print(f"right: None ({case})")


check(
    smallest_num_ranks(70 * 10**9, 3, 80e9, 11e9),
    17,
    unit="ranks",
    what="70 billion, stage 3",
    mistakes={
        "this rounds down: on 16 ranks it is 70 GB of states, and 11 besides": 16,
        "the other bytes are missing: each rank has its own 11 GB": 14,
        "the other bytes are shared; each rank has its own 11 GB": 15,
        "the master copy is missing: 12 bytes a parameter": 13,
        "this is 18 bytes a parameter; asked for are the 16 of the paper": 19,
        "any number of ranks will do, not only powers of two": 32,
        "there is no part of a rank": 1120 / 69,
        "one more than needed": 18,
        "a single rank has room for none of it": 1,
    },
)
check(
    smallest_num_ranks(13 * 10**9, 2, 40e9, 3e9),
    17,
    unit="ranks",
    what="13 billion, stage 2",
    mistakes={
        "this is stage 3: at stage 2 the 26 GB of parameters stay on every rank": 6,
        "the parameters, which stay, are counted among the shared parts, too: those have 14 bytes": 19,
        "the other bytes are missing: each rank has its own 3 GB": 13,
        "the master copy is missing: 2 bytes stay, 10 are shared": 12,
        "this rounds down": 16,
    },
)
check(
    smallest_num_ranks(5 * 10**9, 3, 40e9, 0),
    2,
    unit="ranks",
    what="exactly full",
    mistakes={"40 GB on a GPU of 40 GB fit": 3},
)
check(
    smallest_num_ranks(7 * 10**9, 2, 24e9, 9.9e9) or 0,
    980,
    unit="ranks",
    what="7 billion, stage 2, 0.1 GB for what is shared",
    mistakes={"so many ranks do make room: where does your search end?": 0},
)
_check_none_fits(
    "13 billion, stage 1",
    "parameters and gradients, 52 GB, stay on every rank at stage 1: no number of ranks is enough",
    *(13 * 10**9, 1, 40e9, 3e9),
)
check(
    smallest_num_ranks(10**9, 0, 40e9, 3e9),
    1,
    unit="rank",
    what="a billion, stage 0",
    mistakes={"it fits on every rank, but there must be one": 0},
)

# %% tests="smallest_num_ranks_edges" points=1
# Checked when you are graded: exactly full; already with one rank; stage 0; nothing left; the answer fits and one fewer does not.
### BEGIN HIDDEN TESTS
check(smallest_num_ranks(10**9, 3, 8e9, 2e9), 3, unit="ranks", what="the small example")
check(smallest_num_ranks(5 * 10**9, 3, 40e9, 0), 2, unit="ranks", what="exactly full")
check(smallest_num_ranks(10**9, 1, 80e9, 64e9), 1, unit="rank", what="exactly full, with one rank")
check(smallest_num_ranks(7 * 10**9, 0, 112e9, 0) or 0, 1, unit="rank", what="exactly full, at stage 0")
check(smallest_num_ranks(10**9, 3, 80e9, 1e9), 1, unit="rank", what="one rank has room to spare")
for _stage, _gpu, _other in (
    (0, 111e9, 0),
    (0, 112e9, 1e9),
    (2, 14e9, 0),
    (2, 24e9, 11e9),
    (3, 24e9, 24e9),
    (3, 24e9, 30e9),
):
    _case = f"7 billion parameters, stage {_stage}, {_gpu / 1e9:.0f} GB, {_other / 1e9:.0f} GB of other things"
    _check_none_fits(_case, "more ranks never make room here", 7 * 10**9, _stage, _gpu, _other)
check(
    smallest_num_ranks(7 * 10**9, 2, 24e9, 9.9985e9) or 0,
    65_334,
    unit="ranks",
    what="1.5 MB are left for what is shared",
    mistakes={"the answer is None (or 0), but so many ranks do make room: where does your search end?": 0},
)
for _params, _stage, _gpu, _other in (
    (70 * 10**9, 3, 80e9, 11e9),
    (7 * 10**9, 1, 40e9, 3e9),
    (7 * 10**9, 2, 24e9, 8e9),
):
    _found = smallest_num_ranks(_params, _stage, _gpu, _other)
    check(float(_found or 0) % 1, 0.0, what="what is beyond a whole number of ranks")
    _held = [
        memory.model_state_bytes(_params, _stage, max(1, int(_found or 0) - less)).total + _other for less in (0, 1)
    ]
    check(
        int(_held[0] <= _gpu < _held[1]),
        1,
        what=f"stage {_stage}, {_gpu / 1e9:.0f} GB: it fits, with one fewer it does not",
    )
### END HIDDEN TESTS

# %% [markdown]
r"""
Which change helps how much? The example from above again, 7 billion parameters and one sequence on each of 8 GPUs of
80 GB:
"""

# %%
for zero_stage, kind, parts in (
    (0, "both", ()),
    (1, "written out", ()),
    (3, "flash", ()),
    (0, "flash", ("optimizer",)),
):
    state, host = memory.offloaded(memory.model_state_bytes(7e9, zero_stage, 8), 8, parts)
    total = state.total / 1e9 + beside[kind]
    verdict = "fits" if total <= 80 else "does not fit"
    print(f"stage {zero_stage}, {kind:11s} {total:6.1f} GB {verdict:12s}", end="")
    print(f" (and {host / 1e9:.0f} GB on the host)" if parts else "")

# %% [markdown]
r"""
**What you see.** No remedy for activations helps where the states alone are too large. Nor does accumulation: the
micro-batch is one sequence already. (The notes put the whole memory of $K$ accumulated micro-batches at roughly $1/K$
of that of the whole batch: exercise 2.6 says what is right.) The last line fits on each of the eight GPUs if their
host has 672 GB, because under DDP each of the eight keeps a whole optimizer there.

**Try it.** The demo has the same ledger for models from 125 million to 405 billion parameters. Before you look for
it: with how many GPUs of 80 GB does a model of 70 billion parameters fit at stage 2?
"""

# %%
demos.memory_ledger()

# %% [markdown]
r"""
**You should have seen** that stage 2 never holds 70 billion parameters on 80 GB: 1024 ranks shrink gradients and
optimizer to slivers, and the 140 GB of weights stay. Stage 3 does, with 36 ranks (64 on the slider), and with whole
layers computed again 15 (16 on the slider). For 405 billion parameters not even 1024 ranks are enough as long as only
attention is computed again: the activations of one sequence are larger than the GPU. With whole layers computed
again 95 ranks are (128 on the slider), gathered layers not counted.

**What limits the global batch?** Not memory: memory limits the *micro-batch*, and accumulation multiplies it. What
limits accumulation is time, because an optimizer step takes $K$ times as long. (Here the notes are right. Whether so
large a batch is any use is the question of lessons 05 and 06.)

## Exercise 8.5: `largest_step` (2 points, 7 minutes, core)

Return the step that the memory and your patience allow, with the largest micro-batch that fits. (A smaller one may
waste less of the patience by rounding, but larger products keep a GPU busier.)

- `free_bytes`: of each GPU, beside model states; `bytes_per_sequence`: activations and logits of one sequence
- `num_ranks`; `seconds_per_sequence`: forward and backward pass of one sequence on one rank
- `patience`: seconds for an optimizer step, enough for at least one micro-batch
- returns `(micro_batch, accumulation_steps, global_batch)`, whole numbers: the largest micro-batch that fits, as many
  of them as the patience allows, and the sequences in the step
- for `largest_step(10e9, 3e9, 2, 1.0, 10.0)`: `(3, 3, 18)`
- raises `ValueError` where not even one sequence fits

<details><summary>Hint 1 (click to open): in which order?</summary>

Memory gives the micro-batch. A micro-batch of $b$ sequences takes $b$ times as long as one. Patience gives $K$.
</details>

<details><summary>Hint 2 (click to open): and the ranks?</summary>

They work at the same time, each with its own memory. They enter only in the product of lesson 01.
</details>
"""


# %% solution="largest_step"
def largest_step(free_bytes, bytes_per_sequence, num_ranks, seconds_per_sequence, patience):
    """Return the largest micro-batch that fits, accumulation steps and global batch (sequences)."""
    ### BEGIN SOLUTION
    micro_batch = int(free_bytes // bytes_per_sequence)
    if micro_batch < 1:
        raise ValueError(f"one sequence takes {bytes_per_sequence:.3g} bytes, and {free_bytes:.3g} are free")
    accumulation_steps = int(patience // (micro_batch * seconds_per_sequence))
    return micro_batch, accumulation_steps, num_ranks * micro_batch * accumulation_steps
    ### END SOLUTION


# %% tests="largest_step_by_hand" points=1
# The example repaired: ZeRO-1 on 8 ranks leaves 41.5 GB, a sequence takes 9.8 GB with flash attention and logits;
# 0.72 s a sequence; a minute for a step.
check(
    largest_step(41.5e9, 9.8e9, 8, 0.72, 60.0),
    [4, 20, 640],
    what="micro-batch, accumulation steps, global batch",
    mistakes={
        "the global batch counts the sequences of all ranks": [4, 20, 80],
        "this global batch leaves out accumulation": [4, 20, 32],
        "this global batch leaves out the micro-batch": [4, 20, 160],
        "a micro-batch of 4 sequences takes four times as long as one": [4, 83, 2656],
        "the ranks work at the same time: eight of them do not take eight times as long": [4, 2, 64],
        "the ranks work at the same time, each for its own 60 seconds": [4, 166, 5312],
        "each rank holds its own activations: the free memory of the others does not help": [33, 2, 528],
        "each rank holds its own activations, and the global batch counts the sequences of all ranks": [33, 2, 66],
        "this micro-batch does not fit: round down": [5, 16, 640],
        "this micro-batch does not fit: round down, and the number of micro-batches as well": [5, 17, 680],
        "this number of micro-batches takes longer than the patience: round down": [4, 21, 672],
        "there is no part of a sequence: round the micro-batch down, and then the number of them": [
            41.5 / 9.8,
            60 / (0.72 * 41.5 / 9.8),
            8 * 60 / 0.72,
        ],
        "there is no part of a micro-batch: round down": [4, 60 / 2.88, 8 * 60 / 0.72],
        "micro-batches of one: the largest that fits is asked for (and the free memory is that of each GPU already)": [
            1,
            83,
            664,
        ],
        "the global batch counts all micro-batches of all ranks": [4, 20, 4],
    },
)
check_raises(ValueError, largest_step, 9e9, 9.8e9, 8, 0.72, 60.0, because="not one sequence fits")

# %% tests="largest_step_properties" points=1
# Checked when you are graded: other numbers, exact fits, one rank, a patience of one micro-batch.
### BEGIN HIDDEN TESTS
check(largest_step(10e9, 3e9, 2, 1.0, 10.0), [3, 3, 18], what="the small example")
check(largest_step(8.0, 2.0, 1, 0.5, 2.0), [4, 1, 4], what="everything fits exactly, one rank")
check(largest_step(2.0, 2.0, 64, 0.25, 10.0), [1, 40, 2560], what="one sequence at a time")
check(largest_step(100.0, 7.0, 3, 1.0, 29.0), [14, 2, 84], what="fourteen at a time")
check(largest_step(19.0, 5.0, 2, 1.0, 11.0), [3, 3, 18], what="3.8 and 3.7: both must be rounded down")
check(largest_step(11e9, 3e9, 2, 1.0, 10.0), [3, 3, 18], what="3.67 sequences: rounded down")
check(largest_step(100.0, 7.0, 3, 1.0, 41.0), [14, 2, 84], what="2.93 micro-batches: rounded down")
check_raises(ValueError, largest_step, 0.0, 1.0, 4, 1.0, 10.0, because="there is no memory left at all")
_because = "the model states alone are larger than the GPU: less than nothing is free"
check_raises(ValueError, largest_step, -30e9, 9.8e9, 8, 0.7, 60.0, because=_because)
### END HIDDEN TESTS

# %% [markdown]
r"""
## 8.5 Predicted, then measured

So far one formula was compared with another. Now real processes: `ranks.run(worker, N)` starts $N$ of them on this
machine, joined by PyTorch's gloo backend. Each runs `worker` as it would on its own GPU, and what it returns comes
back as a list. A model whose last layer has 67 rows, so that nothing divides too well; all numbers have 32 bits,
therefore the convention is "fp32", 4 + 4 + 8.

* DDP is `DistributedDataParallel`. (`gradient_as_bucket_view=True` makes its gradients views of the buffers from
  which it sends. By default these buffers are a second copy of all gradients.)
* ZeRO-1 is DDP with `ZeroRedundancyOptimizer`.
* ZeRO-3 is `fully_shard`, known as FSDP2, applied to each layer and to the whole.

`memory.held_bytes` extends yours. Of a sharded tensor it counts this rank's part, it looks inside a
`ZeroRedundancyOptimizer`, and it counts as the optimizer's whatever the optimizer updates in the place of the
parameters (a master copy).
"""


# %%
def toy():
    """Return the same model on every rank."""
    torch.manual_seed(0)
    return nn.Sequential(*blocks(2, 64, 4, 32), nn.Linear(64, 67, bias=False))


# %%
from torch.distributed.optim import ZeroRedundancyOptimizer


def distributed(strategy):
    """Return the model and its optimizer, made ready for this rank."""
    model = toy()
    if strategy in ("ZeRO-3", "ZeRO-3 in one piece"):
        for part in [*model, model] if strategy == "ZeRO-3" else [model]:
            fully_shard(part)
    else:
        model = DistributedDataParallel(model, gradient_as_bucket_view=True)
    if strategy == "ZeRO-1":
        return model, ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW)
    return model, torch.optim.AdamW(model.parameters())


def last_layer():
    """Return the shape of the last layer's weight as ZeRO-3 shows it, and of what this rank has."""
    *_, weight = distributed("ZeRO-3")[0].parameters()
    return tuple(weight.shape), tuple(weight.to_local().shape)


for number, (shape, local) in enumerate(ranks.run(last_layer, 4)):
    print(f"rank {number}: shape {shape}, to_local() {local}")

# %% [markdown]
r"""
Before you run the next cell: which of its lines will not match the prediction to the byte, and why?
"""


# %%
def held_after_a_step(strategy):
    """Return the bytes that this rank holds after one training step."""
    model, optimizer = distributed(strategy)
    model(torch.randn(2, 32, 64)).square().mean().backward()
    optimizer.step()
    return memory.held_bytes(model, optimizer)


# %%
shapes = [parameter.shape for parameter in toy().parameters()]
num_params, num_tensors = sum(shape.numel() for shape in shapes), len(shapes)
print(f"{num_params:,} parameters in {num_tensors} tensors; bytes predicted, and measured on each rank")
measured = {}
for num_ranks in (2, 4):
    for strategy, zero_stage in (("DDP", 0), ("ZeRO-1", 1), ("ZeRO-3", 3)):
        measured[strategy, num_ranks] = held = ranks.run(held_after_a_step, num_ranks, strategy)
        predicted = memory.model_state_bytes(num_params, zero_stage, num_ranks, "fp32")
        print(f"{strategy} on {num_ranks} ranks")
        for part, expected, *found in zip(predicted._fields, predicted, *held, strict=True):
            print(f"   {part:10s} {expected:>9,.0f}    ", *(f"{number:>9,}" for number in found))

# %% [markdown]
r"""
**What you see.** Parameters and gradients of DDP and ZeRO-1: equal to the byte. Everything else is close, and the
rest can be explained.

* **Counters.** Adam has a step counter of 4 bytes for each of the 25 tensors, 100 bytes.
* **Whole tensors.** `ZeroRedundancyOptimizer` does not cut tensors. It deals whole ones to the ranks, the largest
  first, so some ranks hold more than $1/N$, and the one with the most decides what fits.
* **Padding.** `fully_shard` cuts each tensor along its rows, the same number for each rank. 67 rows on 4 ranks are 17
  each, the last of them one row of padding. (Adam's averages are not padded: the last ranks hold fewer.)

These three, in numbers:
"""

# %%
for num_ranks in (2, 4):
    optimizers = [held.optimizer for held in measured["ZeRO-1", num_ranks]]
    predicted = 8 * num_params + 4 * num_tensors
    print(f"ZeRO-1 on {num_ranks}: optimizer of all ranks {sum(optimizers)}, predicted {predicted}; ", end="")
    print(f"largest {max(optimizers) / predicted * num_ranks:.2f} times the mean")
    padded = sum(math.ceil(shape[0] / num_ranks) * shape[1:].numel() for shape in shapes)
    first = measured["ZeRO-3", num_ranks][0]
    predicted = 4 * padded, 4 * padded, 8 * padded + 4 * num_tensors
    print(f"ZeRO-3 on {num_ranks}: rank 0 holds {tuple(first)}, predicted {predicted}")

# %% [markdown]
r"""
**What you see.** Equal to the byte, with counters and padding. Both are below 1 % while tensors have many more rows
than there are ranks. That `ZeroRedundancyOptimizer` deals out whole tensors matters also for large models, when one
tensor (an embedding) is larger than $\Psi/N$. (Megatron's optimizer cuts flat buffers.)

**And ZeRO-2?** `fully_shard` can keep the gathered weights, from the first use on
(`reshard_after_forward=False`, and the same for the backward pass). Between the backward pass and the update a rank
then holds whole weights and its share of the gradients: stage 2. In mixed precision the shards stay in 32 bits and
serve as the master copy. Its gradients are 32 bits wide, too. So the formula is $2\Psi$ + $4\Psi/N$ + $12\Psi/N$,
$2\Psi/N$ more than in the paper.
"""


# %%
def held_before_the_second_step():
    """Return the bytes of this rank between the second backward pass and its update."""
    model, mixed = toy(), MixedPrecisionPolicy(param_dtype=torch.bfloat16)
    for part in [*model, model]:
        fully_shard(part, mp_policy=mixed, reshard_after_forward=False)
    model.set_reshard_after_backward(False)
    optimizer = torch.optim.AdamW(model.parameters())
    for step in range(2):
        model(torch.randn(2, 32, 64)).float().square().mean().backward()
        if step == 0:
            optimizer.step()
            optimizer.zero_grad()
            for part in model:
                part.reshard()  # so that the next forward pass gathers the new weights
    return memory.held_bytes(model, optimizer)


# %%
for num_ranks in (2, 4):
    measured["ZeRO-2", num_ranks] = held = ranks.run(held_before_the_second_step, num_ranks)
    padded = sum(math.ceil(shape[0] / num_ranks) * shape[1:].numel() for shape in shapes)
    predicted = 2 * padded * num_ranks, 4 * padded, 12 * padded + 4 * num_tensors
    print(f"ZeRO-2 on {num_ranks}: rank 0 holds {tuple(held[0])}, predicted {predicted}")

# %%
fig, axes = plt.subplots(figsize=(7, 3.4))
predictions = {
    "DDP": 16 * num_params,
    "ZeRO-1": (8 + 8 / 4) * num_params,
    "ZeRO-2": (2 + 16 / 4) * num_params,
    "ZeRO-3": 16 / 4 * num_params,
}
for number, (strategy, predicted) in enumerate(predictions.items()):
    places = 5 * number + np.arange(4)
    bottom = np.zeros(4)
    for part, colour in zip(memory.ModelState._fields, ("C0", "C1", "C2"), strict=True):
        heights = np.array([getattr(held, part) for held in measured[strategy, 4]]) / 1e6
        label = part if number == 0 else None
        axes.bar(places, heights, bottom=bottom, color=colour, width=0.9, label=label)
        bottom += heights
    axes.plot([places[0] - 0.6, places[-1] + 0.6], [predicted / 1e6] * 2, "k", lw=1.5)
parts = [held.optimizer for held in measured["ZeRO-1", 4]]
axes.text(4.6, 1.1, f"rank {np.argmax(parts)}: optimizer {max(parts) / np.mean(parts):.2f} times the mean", fontsize=9)
axes.set_xticks([5 * number + 1.5 for number in range(4)], labels=predictions)
axes.set(ylabel="model states (MB)", xlabel="ranks 0 to 3 under each strategy; line: predicted", ylim=(0, 2.4))
_ = axes.legend(ncols=3, loc="upper right")

# %% [markdown]
r"""
**What you see.** The predictions, as lines, on the bars that four processes reported. (ZeRO-2 runs in mixed
precision, the others in 32 bits.) Under ZeRO-1 rank 1 holds more than the others, because whole tensors were dealt
out.

**What no bar shows.** At stage 3 a layer is whole while it is at work. Look from inside: hooks in the MLP of each
block, during the forward pass, on 4 ranks. The shards of the layer at work are then counted with the optimizer, whose
master copy they are (no step has been made, so there are no $m$ and $v$ yet); so add up parameters and shards.
"""


# %%
def seen_from_inside(strategy):
    """Return the bytes of whole layers and shards: at rest, in each block, after the forward pass."""
    model, optimizer = distributed(strategy)
    seen = []

    def look(*_):
        held = memory.held_bytes(model, optimizer)
        seen.append(held.parameters + held.optimizer)

    look()
    for block in model[:2]:
        block.mlp.register_forward_hook(look)
    model(torch.randn(2, 32, 64))
    look()
    return seen


# %%
seen = ranks.run(seen_from_inside, 4, "ZeRO-3")[0]
_, in_one_piece, *_ = ranks.run(seen_from_inside, 4, "ZeRO-3 in one piece")[0]
in_a_block = 4 * sum(parameter.numel() for parameter in toy()[0].parameters())
names = ("at rest", "in block 0", "in block 1", "afterwards", "block 0, in one piece")
for name, held in zip(names, (*seen, in_one_piece), strict=True):
    print(f"{name:21s} {held:>8,} bytes: at rest + {(held - seen[0]) / in_a_block:.2f} whole blocks")
print(f"the whole model: {4 * num_params:,} bytes, {4 * num_params / in_a_block:.2f} blocks")

# %% [markdown]
r"""
**What you see.** One whole block more than at rest, then it is dropped. So a rank of ZeRO-3 needs its share *and* the
largest layer, in 16 bits and, in the backward pass, with its gradient; and the next layer, too, where that is fetched
ahead of its use (*prefetching*). Wrapped as one piece, the model is gathered all at once, and its gradients are whole
until the backward pass is over: at the peak only the optimizer is sharded.

## 8.6 Your own

Point 3 of section 8.2 is a program. Take ZeRO-1: weights and gradients are whole on each rank.

1. Make one vector of all trainable parameters, and one of their gradients.
2. Cut both into $N$ equal shares. If $N$ does not divide their length, fill up with zeros first.
3. Average the gradients over the ranks, of which each needs only its share (this is called *reduce-scatter*; an
   all-reduce and a slice do the same and send more).
4. Update the own share. Only for this one does a rank keep a state.
5. Collect the shares of all ranks (*all-gather*), cut off the zeros, and write the numbers back into the parameters.

Smallest case: 7 parameters on 3 ranks. Shares of 3 make 9, so 2 zeros are added: the third rank has one parameter and
two zeros. The update rule for step 4 is plain AdamW, for any vector:
"""


# %%
def adamw(values, gradient, state, rate=0.01, beta1=0.9, beta2=0.999, epsilon=1e-8, decay=0.01):
    """Make one step of AdamW, in place. values, gradient: vectors; state: a dict, empty at first."""
    if not state:
        state.update(step=0, m=torch.zeros_like(values), v=torch.zeros_like(values))
    state["step"] += 1
    state["m"].lerp_(gradient, 1 - beta1)
    state["v"].lerp_(gradient**2, 1 - beta2)
    m = state["m"] / (1 - beta1 ** state["step"])
    v = state["v"] / (1 - beta2 ** state["step"])
    values.mul_(1 - rate * decay).sub_(rate * m / (v.sqrt() + epsilon))


# %%
torch.manual_seed(1)
values, state = torch.randn(7), {}
same = nn.Parameter(values.clone())
theirs = torch.optim.AdamW([same], lr=0.01)
for _ in range(5):
    same.grad = torch.randn(7)
    theirs.step()
    adamw(values, same.grad, state)
difference = (values - same).abs().max().item()
print(f"largest difference from torch.optim.AdamW after 5 steps: {difference:.0e}")

# %% [markdown]
r"""
## Exercise 8.6: `sharded_step` (4 points, 20 minutes, challenge)

Write steps 1 to 5. The function runs on each of $N$ ranks at the same time, with that rank's own gradients.

- `parameters`: list of tensors, equal on all ranks, of any shapes. *Frozen* ones (`requires_grad` is false) have no
  gradient; they do not change and need no state. A *tied* one may appear twice in the list; it counts once (keep
  the order), and its gradient is already complete
- `update(values, gradient, state)`: changes the vector `values` in place; call it once, with this rank's share of
  values and of the **mean** gradient. It may be `adamw` or any other rule that treats each number by itself
- `state`: this rank's dict, empty before the first step; just hand it on. With $\Psi$ trainable numbers a share has
  at most $\lceil \Psi/N \rceil$
- changes the parameters in place, the same on all ranks; returns nothing
- `dist.get_rank()`, `dist.get_world_size()`, `dist.all_reduce(tensor)` (sum, in place),
  `dist.reduce_scatter_single(share, whole)` (sum) and `dist.all_gather_single(whole, share)` are at hand. All ranks
  must call the same ones in the same order

<details><summary>Hint 1 (click to open): lists and vectors</summary>

`list(dict.fromkeys(parameters))` drops repetitions. `torch.cat([p.detach().flatten() for p in …])` makes a vector (a
copy), `nn.functional.pad(vector, (0, n))` appends $n$ zeros, and `nn.utils.vector_to_parameters(vector, parameters)`
writes one back, ignoring what is left over at its end. Frozen tensors have no gradient: leave them out first. (An
error about "Output 0 of" some view, or about a view created in no_grad mode: `.detach()` is missing.)
</details>

<details><summary>Hint 2 (click to open): sizes</summary>

With `size = math.ceil(len(values) / num_ranks)` the padding is `num_ranks * size - len(values)`, and rank $r$ owns
the entries from `r * size` to `(r + 1) * size`. `all_gather_single` wants `num_ranks` shares of equal size, in memory
of its own (`.clone()` makes a slice contiguous and independent).
</details>
"""


# %% solution="sharded_step"
def sharded_step(parameters, update, state):
    """Make one optimizer step; this rank updates its share of all trainable parameters."""
    ### BEGIN SOLUTION
    trainable = [parameter for parameter in dict.fromkeys(parameters) if parameter.requires_grad]
    values = torch.cat([parameter.detach().flatten() for parameter in trainable])
    gradients = torch.cat([parameter.grad.flatten() for parameter in trainable])
    num_ranks, size = dist.get_world_size(), math.ceil(len(values) / dist.get_world_size())
    padding = (0, num_ranks * size - len(values))
    values, gradients = nn.functional.pad(values, padding), nn.functional.pad(gradients, padding)
    own, gradient = values.chunk(num_ranks)[dist.get_rank()].clone(), torch.empty(size)
    dist.reduce_scatter_single(gradient, gradients)
    update(own, gradient / num_ranks, state)
    dist.all_gather_single(values, own)
    nn.utils.vector_to_parameters(values, trainable)
    ### END SOLUTION


# %% tests="sharded_step_by_hand" points=1
# Two ranks; weights 1 to 4 and a bias 5, 6, 7 are trainable. Rank 0 has gradients 2, 4, …, 14, rank 1 twice those.
# The rule is: subtract the gradient.
def _on_a_rank():
    weight, bias = nn.Parameter(torch.tensor([[1.0, 2.0], [3.0, 4.0]])), nn.Parameter(torch.tensor([5.0, 6.0, 7.0]))
    for parameter in (weight, bias):
        parameter.grad = parameter.detach() * (2 + 2 * dist.get_rank())
    sharded_step([weight, bias], lambda values, gradient, state: values.sub_(gradient), {})
    return torch.cat([weight.detach().flatten(), bias.detach()]).tolist()


_start, _shares = np.arange(1.0, 8.0), (np.arange(7) < 4, np.arange(7) >= 4)
for _rank, _parameters in enumerate(ranks.run(_on_a_rank, 2, timeout=10)):
    check(
        _parameters,
        -2 * _start,
        what=f"parameters of rank {_rank}",
        mistakes={
            "nothing has changed: are the new numbers written back into the parameters?": _start,
            "the gradients were added and not averaged: Adam would hardly have noticed": -5 * _start,
            "each rank used its own gradients: the ranks drift apart": (-1 - 2 * _rank) * _start,
            "each owner used its own gradients; average them over the ranks": np.where(_shares[0], -1, -3) * _start,
            "each rank knows its own share only: the new shares must be collected": np.where(_shares[_rank], -2, 1)
            * _start,
            "the gradients were divided by the number of ranks twice": -0.5 * _start,
            "the gradients were added and not averaged, and the shares not collected": np.where(_shares[_rank], -5, 1)
            * _start,
            "the last number is left out: 7 are no multiple of 2, so round the share up": [*-2 * _start[:6], 7.0],
        },
    )


# %% tests="sharded_step_share" points=1
# Odd, tied and frozen: 7 trainable numbers on 3 ranks, one tensor twice in the list, and one frozen. Expected: at most 3.
def _share_on_a_rank():
    weight, bias = nn.Parameter(torch.ones(2, 2)), nn.Parameter(torch.ones(3))
    frozen, sizes = nn.Parameter(torch.ones(8), requires_grad=False), []
    weight.grad, bias.grad = torch.ones(2, 2), torch.ones(3)

    def rule(values, gradient, state):
        sizes.append(len(values))
        state["calls"] = state.get("calls", 0) + 1
        values.sub_(gradient)

    state = {}
    sharded_step([weight, bias, frozen, weight], rule, state)
    after = [tensor.detach().mean().item() for tensor in (weight, bias, frozen)]
    return [len(sizes), max(sizes, default=0), *after, state.get("calls", 0)]


_found = np.array(ranks.run(_share_on_a_rank, 3, timeout=10))
check(
    _found[:, 0].max(),
    1,
    what="calls of update on a rank",
    mistakes={"update is never called": 0, "call update once, not for each tensor: its state is that of one vector": 2},
)
_whole_tensors = 8 if _found[:, 1].all() else 4  # 4 and 3 on two ranks, nothing on the third; or the frozen one
check(
    _found[:, 1].max(),
    3,
    what="largest share",
    unit="numbers",
    mistakes={
        "every rank updates everything, and keeps a state for everything": 7,
        "every rank updates everything, zeros included, and keeps a state for everything": 9,
        "shares of 2 leave one of the 7 numbers out: round up": 2,
        "a rank takes whole tensors; cut the vector of all of them": _whole_tensors,
        "the tied tensor is in it twice": 4,
        "the frozen tensor is in it": 5,
    },
)
for _rank, (_means, _own) in enumerate(zip(_found[:, 2:5], ([1 / 4, 1], [3 / 4, 1 / 3], [1, 2 / 3]), strict=True)):
    check(
        _means,
        [0, 0, 1],
        what=f"means of weight, bias and frozen tensor on rank {_rank}",
        mistakes={
            "nothing has changed": [1, 1, 1],
            "the gradients of the three ranks were added and not averaged": [-2, -2, 1],
            "each rank knows its own share only": [*_own, 1],
        },
    )
check(
    _found[:, 5].min(),
    1,
    what="what update kept in state",
    mistakes={"hand on the state that sharded_step is given: a new one forgets m and v after each step": 0},
)


# %% tests="sharded_step_equals_adamw" points=2
# Checked when you are graded: five steps of AdamW, on 2 and 3 ranks, equal those of one process; a rank without numbers.
### BEGIN HIDDEN TESTS
def _tied_network():
    torch.manual_seed(3)
    network = nn.Sequential(nn.Embedding(7, 3), nn.Linear(3, 3), nn.Linear(3, 3, bias=False), nn.Linear(3, 7))
    network[3].weight = network[0].weight
    network[2].requires_grad_(False)
    return network, torch.randint(7, (5, 6)), torch.randint(7, (5, 6))


def _train(share, step):
    network, inputs, targets = _tied_network()
    for words, answers in zip(inputs, targets, strict=True):
        network.zero_grad()
        nn.functional.cross_entropy(network(words[share]), answers[share]).backward()
        step(network)
    return torch.cat([parameter.detach().flatten() for parameter in network.parameters()])


def _sharded_run():
    number, state = dist.get_rank(), {}
    share = slice(number * 6 // dist.get_world_size(), (number + 1) * 6 // dist.get_world_size())
    weights = _train(share, lambda network: sharded_step(list(network.parameters()), adamw, state))
    return weights.numpy(), _few_numbers()


def _few_numbers():
    parameter = nn.Parameter(torch.tensor([1.0, 2.0, 3.0, 4.0]))
    parameter.grad = torch.full((4,), float(dist.get_rank()))
    sharded_step([parameter], lambda values, gradient, state: values.sub_(gradient), {})
    return parameter.tolist()


_state = {}


def _whole_step(network):
    trainable = [parameter for parameter in network.parameters() if parameter.requires_grad]
    values = torch.cat([parameter.detach().flatten() for parameter in trainable])
    adamw(values, torch.cat([parameter.grad.flatten() for parameter in trainable]), _state)
    nn.utils.vector_to_parameters(values, trainable)


_expected = _train(slice(0, 6), _whole_step)
for _num_ranks in (2, 3):
    for _rank, (_weights, _values) in enumerate(ranks.run(_sharded_run, _num_ranks, timeout=10)):
        check(_weights, _expected, atol=1e-5, what=f"weights after five steps, rank {_rank} of {_num_ranks}")
        _mean = (_num_ranks - 1) / 2
        check(_values, np.arange(1, 5) - _mean, what=f"four numbers, rank {_rank} of {_num_ranks}", atol=1e-6)
### END HIDDEN TESTS

# %% [markdown]
r"""
## 8.7 Seven billion parameters on 64 ranks, on a laptop

A formula, a toy of a hundred thousand parameters: does the real thing agree? Tensors on PyTorch's *meta* device have
a shape and a type but no memory, and a *fake* process group answers every exchange between ranks without sending
anything. So the real `fully_shard` and the real AdamW can shard and update a model that would fill a cluster, and
every tensor of rank 0 can be counted. (The fake group is private to PyTorch and may move; the cell says so if it
has.)
"""


# %%
def seven_billion():
    """Return a model with the shape of LLaMA-7B, but our blocks, without memory behind it."""
    with torch.device("meta"):
        first, last = nn.Embedding(32_000, 4096), nn.Linear(4096, 32_000, bias=False)
        return nn.Sequential(first, *blocks(32, 4096, 32, 2048), last)


# %%
def held_without_memory(num_ranks):
    """Return the bytes of rank 0 after a step of ZeRO-3, the number of parameters and of tensors."""
    from torch.testing._internal.distributed.fake_pg import FakeStore

    dist.init_process_group("fake", rank=0, world_size=num_ranks, store=FakeStore())
    try:
        model = seven_billion()
        sizes = [parameter.numel() for parameter in model.parameters()]
        for part in [*model, model]:
            fully_shard(part, mesh=dist.device_mesh.init_device_mesh("cpu", (num_ranks,)))
        optimizer = torch.optim.AdamW(model.parameters())
        for parameter in model.parameters():
            parameter.grad = torch.zeros_like(parameter)  # a backward pass would leave these
        optimizer.step()
        return memory.held_bytes(model, optimizer), sum(sizes), len(sizes)
    finally:
        dist.destroy_process_group()


# %%
try:
    held, all_params, all_tensors = held_without_memory(64)
except (ImportError, AttributeError) as error:
    print("this version of PyTorch has another fake process group:", error)
else:
    predicted = memory.model_state_bytes(all_params, 3, 64, "fp32")
    print(f"{all_params / 1e9:.2f} billion parameters in {all_tensors} tensors, rank 0 of 64")
    for part, expected, found in zip(predicted._fields, predicted, held, strict=True):
        print(f"   {part:10s} predicted {expected:>13,.0f}, counted {found:>13,} bytes")
    beyond = held.total - predicted.total
    print(f"{held.total / 1e9:.2f} GB; {beyond:,.0f} bytes beyond the prediction, ", end="")
    print(f"of which step counters {4 * all_tensors:,}")

# %% [markdown]
r"""
**What you see.** 1.7 GB on each of 64 ranks, the formula to the byte, once the step counters are added. (64 divides
the first dimension of every tensor here, so nothing is padded.) This is what is there between two steps. Activations,
gathered layers and buffers come on top, and nothing was computed.

**With a GPU.** What a GPU really needs at the peak only the GPU can say. The next cell trains a model of 113 million
parameters on each GPU in processes of their own, in 32 bits, under DDP and under `fully_shard`, and prints the
peak of PyTorch's allocator beside model states and saved activations. Without a GPU it says so.
"""

# %%
PEAK = """
import sys
import torch
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel
from largebatch import memory, ranks
from largebatch.activations import saved_bytes
from largebatch.transformer import blocks

device = ranks.join()
model, inputs = blocks(9, 1024, 16, 512).to(device), torch.randn(4, 512, 1024, device=device)
kept = saved_bytes(model, inputs)
if sys.argv[1] == "ZeRO-3":
    for part in [*model, model]:
        fully_shard(part)
else:
    model = DistributedDataParallel(model, gradient_as_bucket_view=True)
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(2):
    optimizer.zero_grad()
    torch.cuda.reset_peak_memory_stats()
    model(inputs).square().mean().backward()
    optimizer.step()
if torch.distributed.get_rank() == 0:
    state, peak = memory.held_bytes(model, optimizer).total, torch.cuda.max_memory_allocated()
    print(f"{torch.cuda.get_device_name()}, {sys.argv[1]}: states {state / 1e9:.2f} GB, ", end="")
    print(f"activations {kept / 1e9:.2f} GB, together {(state + kept) / 1e9:.2f}; peak {peak / 1e9:.2f} GB")
ranks.leave()
"""

# %%
from pathlib import Path
from tempfile import TemporaryDirectory

if num_gpus := ranks.num_gpus():
    with TemporaryDirectory() as folder:
        script = Path(folder) / "peak.py"
        script.write_text(PEAK)
        for strategy in ("DDP", "ZeRO-3"):
            ranks.torchrun(script, num_gpus, strategy)
else:
    print("No GPU here: nothing was measured on one.")

# %% [markdown]
r"""
## Exercise 8.7: `quiz_memory` (1 point, 5 minutes, core)

Which statements hold? Mixed precision with the paper's 16 bytes, unless a statement says otherwise. Answer with a set
of letters.

- **A** ZeRO-1 on 64 ranks divides the model states of a rank by about 64.
- **B** With ever more ranks, the model states of a rank tend to 2 bytes a parameter under ZeRO-2.
- **C** ZeRO-3 shards the activations, too, so a rank's activations shrink with more ranks.
- **D** Plain 32-bit training with AdamW and mixed precision both take 16 bytes a parameter for model states.
- **E** A model with 70 billion parameters can be trained with ZeRO-2 on GPUs of 80 GB, if there are enough of them.
- **F** Accumulating over 8 micro-batches divides the memory of the gradients by 8.
- **G** Under ZeRO-3 each rank holds whole layers, too: those at work, for the time that they are.
- **H** 13 billion parameters on 4 GPUs under ZeRO-3, the optimizer moved to the host: 13 GB of states are left on
  each GPU, and the host must have 156 GB for its part.
- **I** Adam's averages must be kept in 32 bits.
- **J** Checkpointing divides the activations of a model with 32 layers by 32 and costs no time.
"""

# %% solution="quiz_memory"
### BEGIN SOLUTION answer_quiz_memory = set()  # for example {"A", "B"}
answer_quiz_memory = {"B", "D", "G", "H"}
### END SOLUTION

# %% tests="quiz_memory_choice" points=1
# The verdict on each of your letters, with the reason.
check_choice("quiz_memory", answer_quiz_memory)

# %% [markdown]
r"""
## Recap

* A parameter costs 16 bytes with AdamW, in 32 bits as well as in mixed precision, where 4 of them are the master
  copy. Others count 8 to 20: ask who counts what, or count it with a loop over the tensors.
* ZeRO-1 shards the optimizer state, ZeRO-2 the gradients too, ZeRO-3 the weights too. With ever more ranks $4\Psi$,
  $2\Psi$ and 0 bytes stay.
* A layer of the standard transformer keeps $sbh(34 + 5as/h)$ bytes: you checked it row by row, and to the byte. Flash
  attention removes the second term, checkpointing all but $2\,sbh$, for a third more computation.
* What stages do not shard and what no number of ranks repairs: activations, logits, the layer at work. Memory bounds
  the micro-batch, patience the global batch.
* On two and four real ranks the predictions hold to the byte, once counters, padding and whole tensors are accounted
  for. You wrote the step that makes ZeRO-1 work.

**Where this breaks.** The formulas count tensors. A real GPU also holds the CUDA context, buffers of the
communication library, workspaces of matrix products, temporary copies in the optimizer, and what the allocator cannot
hand out because its free memory lies in pieces; leave some GB for them. States and activations add up at the peak
when gradients of an earlier micro-batch are there ($K > 1$); with $K = 1$ and gradients set to `None`, the last of
them appear when most activations are gone. The 34 is that of GPT: SwiGLU, grouped queries and RMSNorm change it, and
so does every kernel that fuses two operations. Tensor, sequence and pipeline parallelism shard in other directions,
activations included. And what fits need not be fast: what the stages send, and when, is the subject of lesson 09.

**Sources.** Rajbhandari et al. 2020 (arXiv 1910.02054), sections 3 and 5: the 16 bytes and the three stages.
Korthikanti et al. 2022 (2205.05198), section 4: activations of a layer, selective and full recomputation. Dao et al.
2022 (2205.14135): flash attention. Chen et al. 2016 (1604.06174): checkpointing. Ren et al. 2021 (2101.06840):
offload. DeepSeek-AI 2024 (2412.19437), section 3.3.3: 16-bit moments. Touvron et al. 2023 (2302.13971): the shape of
LLaMA-7B. Each convention's source is printed in section 8.2. PyTorch 2.13: `DistributedDataParallel`,
`ZeroRedundancyOptimizer`, `fully_shard`. The worked example and the problem of 8.4 are from course notes on
batch size and gradient accumulation.
"""
