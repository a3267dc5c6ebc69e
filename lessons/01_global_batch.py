# %% [markdown]
r"""
# 01 · What does one optimizer step mean when I add GPUs?

A training script that ran on 8 GPUs is moved to 16. Nothing crashes, the loss goes down, and yet it is no longer the
same experiment: every step now averages twice as much data, there are half as many steps, and whatever counts steps
now means something else: the schedule that lets the learning rate rise at first and fall towards the end, the log,
the checkpoints. This lesson makes the step itself an object that you can calculate with, in examples and in tokens.

**You will** compute what one step holds on any cluster; tell GPUs from ranks; say what doubling the GPUs does to a
step and to a whole run; move a recipe to another machine without changing it; compare recipes and published runs; and
read a log whose counters disagree.

**You need** lesson 00.

**Minutes** 60

**Points** 14
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

from largebatch import demos
from largebatch.check import WrongAnswer, check, check_raises
from largebatch.data import table
from largebatch.quiz import check_choice

plt.style.use("largebatch.course")

# %% [markdown]
r"""
| symbol | in code | meaning | unit |
|---|---|---|---|
| $N$ | `num_ranks` | data-parallel ranks: copies of the model that read different data | – |
| $b$ | `micro_batch` | sequences that one rank runs through the model at once | sequences |
| $K$ | `accumulation_steps` | micro-batches that each rank averages before the optimizer steps | – |
| $B$ | `global_batch` | sequences that one optimizer step averages over | sequences |
| $s$ | `sequence_length` | tokens in one sequence | tokens |

## 1.1 The identity

**Smallest case.** Two ranks, three sequences at a time, two micro-batches before the optimizer steps. Number the
sequences of one step from 0 and hand them out:
"""

# %%
num_ranks, accumulation_steps, micro_batch = 2, 2, 3
sequences = np.arange(num_ranks * accumulation_steps * micro_batch).reshape(num_ranks, accumulation_steps, micro_batch)
for rank in range(num_ranks):
    print(f"rank {rank} runs", " then ".join(str(list(map(int, row))) for row in sequences[rank]))
print("sequences in the step:", sequences.size)

# %% [markdown]
r"""
Picture these sequences as a box, $N$ ranks deep, $K$ micro-batches long and $b$ sequences wide. One step holds

$$
B = N \cdot b \cdot K \ \text{sequences} \qquad\text{and, if each has } s \text{ tokens,}\qquad B \cdot s \ \text{tokens.}
$$

(A *sequence* is one example of a language model. Where the text says *examples*, the model may be any; the formulas
are the same.)

The three factors do different things to the machine: $b$ is limited by memory, $N$ by the budget, $K$ only by
patience. To the optimizer they are the same. An average is taken three times: within a micro-batch, over the
micro-batches of a rank, and over the ranks. An average of equally large averages is the average of everything. With
$g_{rki}$ for the gradient of the loss of sequence $i$ of micro-batch $k$ on rank $r$:

$$
\frac1N\sum_{r=1}^{N}\;\frac1K\sum_{k=1}^{K}\;\frac1b\sum_{i=1}^{b} g_{rki} \;=\; \frac1{NKb}\sum_{r,k,i} g_{rki} .
$$

The cell below gives each sequence a made-up gradient of five numbers and takes the average in both ways.
"""

# %%
rng = np.random.default_rng(1)
gradients = rng.standard_normal((num_ranks, accumulation_steps, micro_batch, 5))
in_three_stages = gradients.mean(axis=2).mean(axis=1).mean(axis=0)
at_once = gradients.reshape(-1, 5).mean(axis=0)
print("largest difference:", np.abs(in_three_stages - at_once).max())

# %% [markdown]
r"""
**What you see.** Zero up to rounding. Note the word *equally*: where micro-batches hold different numbers of tokens,
the two ways no longer agree. Lesson 02 takes that up.

## Exercise 1.1: `tokens_per_step` (2 points, 4 minutes, warm-up)

Return the number of tokens that one optimizer step averages over. (A run on 8 ranks with micro-batches of 2
sequences, 128 accumulation steps and 2048 tokens a sequence holds 4 194 304 of them.)

- `num_ranks`, `micro_batch` (sequences), `accumulation_steps`, `sequence_length` (tokens): whole numbers
- returns a number of tokens

<details><summary>Hint 1 (click to open): which unit does each factor carry?</summary>

Ranks and accumulation steps are counts. The micro-batch brings in sequences, the sequence length turns sequences into
tokens.
</details>

<details><summary>Hint 2 (click to open): how often does each factor appear?</summary>

Exactly once. If your answer is too large by a whole factor, one of them is in it twice.
</details>
"""


# %% solution="tokens_per_step"
def tokens_per_step(num_ranks, micro_batch, accumulation_steps, sequence_length):
    """Return the tokens of one optimizer step."""
    ### BEGIN SOLUTION
    return num_ranks * micro_batch * accumulation_steps * sequence_length
    ### END SOLUTION


# %% tests="tokens_per_step_by_hand" points=1
# 16 ranks, micro-batches of 4, 50 accumulation steps, 4096 tokens a sequence.
check(
    tokens_per_step(16, 4, 50, 4096),
    13_107_200,
    unit="tokens",
    mistakes={
        "these are sequences; each of them has 4096 tokens": 16 * 4 * 50,
        "the sequence length is in it twice": 16 * 4 * 50 * 4096**2,
        "the accumulation steps are missing: the optimizer waits for all 50 micro-batches": 16 * 4 * 4096,
        "the accumulation steps are in it twice": 16 * 4 * 50**2 * 4096,
        "the ranks are missing: all 16 contribute to the same step": 4 * 50 * 4096,
        "the ranks are in it twice": 16**2 * 4 * 50 * 4096,
        "the micro-batch is missing: each rank runs 4 sequences at a time": 16 * 50 * 4096,
        "the micro-batch is in it twice": 16 * 4**2 * 50 * 4096,
        "these are the tokens of one micro-batch on one rank": 4 * 4096,
    },
)

# %% tests="tokens_per_step_any_run" points=1
# Checked when you are graded: other runs.
### BEGIN HIDDEN TESTS
for _run in ((8, 2, 128, 2048), (1, 1, 1, 7), (3, 5, 2, 11)):
    check(
        tokens_per_step(*_run),
        float(np.prod(_run)),
        unit="tokens",
        what=f"ranks, micro-batch, accumulation, length = {_run}",
    )
### END HIDDEN TESTS

# %% [markdown]
r"""
## 1.2 A GPU is not always a rank

A model that does not fit on one GPU is spread over several. With *tensor parallelism* each layer is cut into pieces
that sit on different GPUs; with *pipeline parallelism* the layers themselves are. Either way, these GPUs hold **one**
copy of the model and work on the **same** sequences. Only whole copies read different data, and only they count as
data-parallel ranks. With tensor and pipeline parallelism,

$$
N = \frac{\text{GPUs}}{\text{GPUs for one copy of the model}} .
$$

**Smallest case.** Four GPUs, two for each copy: two ranks, not four.
"""

# %%
num_gpus, gpus_per_copy = 4, 2
for gpu in range(num_gpus):
    print(
        f"GPU {gpu}: piece {gpu % gpus_per_copy} of copy {gpu // gpus_per_copy}, "
        f"so it reads the data of rank {gpu // gpus_per_copy}"
    )

# %% [markdown]
r"""
(Sharding by ZeRO-3 or FSDP is different: there the pieces of a layer are put together whenever it is needed, and
every GPU reads its own data, so that each of them is a rank. Lesson 08.)

Frameworks differ in what they call a rank: to `torchrun` it is every process, whatever it holds. In this course
*rank* means a data-parallel rank unless we say otherwise.

## Exercise 1.2: `sequences_per_step` (2 points, 5 minutes, core)

Return the number of sequences in one optimizer step of a cluster. Pythia-12B was trained on 256 GPUs, 4 for each copy
of the model, with micro-batches of 8 and 2 accumulation steps.

- `num_gpus`; `gpus_per_copy`: GPUs over which one copy of the model is spread
- `micro_batch` (sequences, for one copy); `accumulation_steps`
- returns a number of sequences; raises `ValueError` where the GPUs do not make a whole number of copies
- for 4 GPUs, 2 per copy, micro-batches of 3 and 5 accumulation steps, 30

<details><summary>Hint 1 (click to open): what is different from exercise 1.1?</summary>

Only the number of ranks: first turn GPUs into copies of the model.
</details>

<details><summary>Hint 2 (click to open): how can I test for a whole number of copies?</summary>

`num_gpus % gpus_per_copy` is the remainder of the division. For whole copies it is 0.
</details>
"""


# %% solution="sequences_per_step"
def sequences_per_step(num_gpus, gpus_per_copy, micro_batch, accumulation_steps):
    """Return the sequences of one optimizer step; ValueError where the GPUs do not make whole copies."""
    ### BEGIN SOLUTION
    if num_gpus % gpus_per_copy:
        raise ValueError(f"{num_gpus} GPUs do not make whole copies of {gpus_per_copy}")
    return num_gpus // gpus_per_copy * micro_batch * accumulation_steps
    ### END SOLUTION


# %% tests="sequences_per_step_pythia" points=1
# Pythia-12B: 256 GPUs, 4 for each copy, micro-batches of 8, 2 accumulation steps.
check(
    sequences_per_step(256, 4, 8, 2),
    1024,
    unit="sequences",
    mistakes={
        "all 256 GPUs are counted as ranks, but four of them work on the same sequences": 4096,
        "the accumulation steps are missing": 512,
        "this multiplies by the GPUs per copy; they reduce the number of ranks": 256 * 4 * 8 * 2,
        "these are tokens; the question asks for sequences": 1024 * 2048,
        "this is what one copy contributes; there are 64 of them": 16,
    },
)
check(
    sequences_per_step(4, 2, 3, 5),
    30,
    unit="sequences",
    what="4 GPUs, 2 per copy, micro-batches of 3, 5 accumulation steps",
)
check_raises(ValueError, sequences_per_step, 10, 4, 8, 2, because="10 GPUs do not make whole copies of 4")


# %% tests="sequences_per_step_any_cluster" points=1
# Checked when you are graded: other clusters, one GPU a copy, and GPUs that do not make whole
# copies.
### BEGIN HIDDEN TESTS
check(sequences_per_step(12, 3, 5, 7), 140, unit="sequences", what="12 GPUs, 3 for each copy")

check(sequences_per_step(7, 1, 2, 3), 42, unit="sequences", what="one GPU for each copy")
check(sequences_per_step(2048, 16, 1, 16), 2048, unit="sequences", what="2048 GPUs, 16 for each copy")
check_raises(ValueError, sequences_per_step, 2, 4, 8, 2, because="2 GPUs do not make one copy of 4")
check_raises(ValueError, sequences_per_step, 258, 4, 8, 2, because="258 GPUs do not make whole copies of 4")
### END HIDDEN TESTS

# %% [markdown]
r"""
## 1.3 More GPUs: weak or strong scaling

What does doubling the GPUs do to time? Take the simplest model of a step. A rank needs $t_e$ seconds for each
example, its $K$ micro-batches run one after the other, and all ranks run at the same time. Then the gradients are
averaged over the ranks, once in each step, which takes $t_s$ seconds:

$$
\text{seconds a step} = K\,b\,t_e + t_s .
$$

To keep it simple, a single rank pays $t_s$ too. (A framework may synchronise after every micro-batch unless it is
told otherwise: lesson 09.)

A run over $D$ examples takes $D/B$ steps, rounded up to whole steps. Two ways to add ranks:

* **weak scaling** keeps $b$ and $K$. The step takes as long as before and holds more examples.
* **strong scaling** keeps $B$. Each rank gets a smaller share, so the step is shorter and holds what it held.
"""

# %%
num_examples, seconds_per_example, seconds_per_sync = 2**20, 0.01, 0.05
ranks = 2 ** np.arange(8)
share = {"weak: 64 examples a rank": 64 + 0 * ranks, "strong: 1024 examples a step": 1024 / ranks}

print("ranks                         " + "".join(f"{n:>8d}" for n in ranks))
for name, examples_per_rank in share.items():
    step_seconds = examples_per_rank * seconds_per_example + seconds_per_sync
    print(f"{name:30s}" + "".join(f"{s:8.2f}" for s in step_seconds), " seconds a step")

# %%
fig, axes = plt.subplots()
for name, examples_per_rank in share.items():
    step_seconds = examples_per_rank * seconds_per_example + seconds_per_sync
    hours = num_examples / (ranks * examples_per_rank) * step_seconds / 3600
    axes.loglog(ranks, hours, "o-", label=name)
axes.loglog(ranks, num_examples * seconds_per_example / ranks / 3600, "k:", label="no synchronisation at all")
axes.set(xlabel="ranks", ylabel="hours to see all examples")
axes.set_xticks(ranks, labels=ranks)
axes.minorticks_off()
_ = axes.legend()

# %% [markdown]
r"""
**What you see.** Seen step by step, weak scaling does more work in the same time, and strong scaling does the same
work in less. Over the whole run both do the *same* work, $D$ examples, and both shorten it. The weak line is
straight: it pays one synchronisation for every 64 examples of a rank, whatever the number of ranks, and stays that
much above the dotted line. The strong line starts closer to the dotted one, crosses the weak line where its share has
shrunk to 64 examples a rank, and bends away: its ever shorter steps still pay for one synchronisation each.

So the picture makes weak scaling look like the better deal for many ranks, and it hides the price. It assumes that
$D$, the number of examples you need, does not depend on $B$. With fewer, larger steps you may need *more* examples to
get equally far. Whether you do is the question of lessons 03 to 07; until then, read "hours" as "hours to see $D$
examples".

## Exercise 1.3: `run_seconds` (2 points, 8 minutes, core)

Return how long a run takes in the model above.

- `num_examples`: $D$; the run ends with a whole step, so round the number of steps up
- `num_ranks`, `micro_batch` (examples), `accumulation_steps`
- `seconds_per_example`: $t_e$, for one example on one rank
- `seconds_per_sync`: $t_s$, once in each optimizer step, however many ranks there are
- returns seconds; for 101 examples, 4 ranks, micro-batches of 5, 2 accumulation steps, 1 s an example and 2 s a
  synchronisation, 36.0 (three steps of 12 s)

<details><summary>Hint 1 (click to open): where do I start?</summary>

With one step. What does one rank do in it, and for how long? The other ranks work at the same time.
</details>

<details><summary>Hint 2 (click to open): how do I round up?</summary>

`math.ceil(x)`, `np.ceil(x)` or `-(-a // b)` for whole numbers.
</details>
"""


# %% solution="run_seconds"
def run_seconds(num_examples, num_ranks, micro_batch, accumulation_steps, seconds_per_example, seconds_per_sync):
    """Return the seconds that a run over num_examples takes, in whole optimizer steps."""
    ### BEGIN SOLUTION
    global_batch = num_ranks * micro_batch * accumulation_steps
    steps = -(-num_examples // global_batch)
    return steps * (accumulation_steps * micro_batch * seconds_per_example + seconds_per_sync)
    ### END SOLUTION


# %% tests="run_seconds_by_hand" points=1
# 96 001 examples, 8 ranks, micro-batches of 4, 3 accumulation steps, 0.01 s an example, 0.05 s a
# synchronisation: 1001 steps.
check(
    run_seconds(96_001, 8, 4, 3, 0.01, 0.05),
    1001 * 0.17,
    unit="seconds",
    mistakes={
        "the last step is not full, but it is a step: round their number up": 1000 * 0.17,
        "this counts a fraction of a step for the last example: round the number of steps up": 96_001 / 96 * 0.17,
        "round up the number of steps, not the seconds": 171.0,
        "this synchronises after every micro-batch; with accumulation it happens once a step": 1001 * 0.27,
        "the synchronisation is paid once for each rank; it is one operation that all ranks do together": 1001 * 0.52,
        "the synchronisation is paid once a run; it is needed in every step": 1001 * 0.12 + 0.05,
        "the synchronisation is missing": 1001 * 0.12,
        "the ranks work one after the other; they work at the same time": 1001 * 1.01,
        "a step runs accumulation_steps micro-batches, not one": 1001 * 0.09,
        "a micro-batch runs micro_batch examples, not one": 1001 * 0.08,
        "all ranks together take the examples of a step: the ranks are missing in the number of steps": 8001 * 0.17,
        "the accumulation steps are missing in the number of steps": 3001 * 0.17,
        "the accumulation steps are missing: a step is 3 micro-batches, not one": 3001 * 0.09,
        "this is the time of one step; the run has many": 0.17,
    },
)

# %% tests="run_seconds_properties" points=1
# Checked when you are graded: a run that ends with a full step, one rank, and what doubling the
# ranks does without synchronisation.
### BEGIN HIDDEN TESTS
check(run_seconds(101, 4, 5, 2, 1.0, 2.0), 36.0, unit="seconds", what="the example of the text")
check(run_seconds(120, 4, 5, 2, 1.0, 2.0), 36.0, unit="seconds", what="three full steps")
check(run_seconds(7, 1, 1, 1, 0.5, 0.2), 4.9, unit="seconds", what="one rank, one example a step")
_weak = run_seconds(2**12, 4, 8, 2, 0.1, 0.0) / run_seconds(2**12, 8, 8, 2, 0.1, 0.0)
check(_weak, 2.0, what="speedup of twice the ranks, weak scaling, free synchronisation")
_strong = run_seconds(2**12, 4, 8, 2, 0.1, 0.0) / run_seconds(2**12, 8, 4, 2, 0.1, 0.0)
check(_strong, 2.0, what="speedup of twice the ranks, strong scaling, free synchronisation")
### END HIDDEN TESTS

# %% [markdown]
r"""
## 1.4 The same step on another machine

A learning rate, a warmup and a decay have been chosen for one global batch. The safest way to move them to another
cluster is to keep $B$. The cluster dictates $N$; what is left to choose are $b$ and $K$, and they must be whole
numbers, which is where plans fail. On 8 ranks, 128 sequences are 16 a rank: micro-batches of 16 without accumulation,
or 4 micro-batches of 4. On 6 ranks they cannot be shared equally at all.

One tip to be wary of, because it is in print. The README of the alignment handbook, a widely used collection of
fine-tuning recipes, advises whoever scales the number of GPUs *up or down* to also scale *up* the micro-batch or the
accumulation steps. The aim stated there is to keep the global batch. Does that work in both directions? Answer the
question of the demo, then set the ranks to 4, fewer than the 8 of the recipe, to 16 and to 6.
"""

# %%
demos.global_batch()

# %% [markdown]
r"""
**You should have seen** that the tip is right for fewer ranks and the wrong way round for more. Plans are
whole-number dots on a line (both axes are logarithmic), more of them the more divisors the share of a rank has. With
6 ranks no dot is left. A larger micro-batch keeps a GPU busier, so among the plans that fit, take the largest.

## Exercise 1.4: `accumulation_plan` (3 points, 8 minutes, core)

Plan a global batch on a given cluster.

- `global_batch` (sequences), `num_ranks`: whole numbers, at least 1
- `max_micro_batch`: the largest micro-batch that fits in memory, at least 1 sequence
- returns `(micro_batch, accumulation_steps)`, whole numbers with `num_ranks * micro_batch * accumulation_steps ==
  global_batch`, and with the largest micro-batch that fits; for 128 sequences on 16 ranks and at most 4 at a time,
  `(4, 2)`
- raises `ValueError` where no plan exists, with a message that says why

<details><summary>Hint 1 (click to open): what is the share of one rank?</summary>

`global_batch / num_ranks`. If that is not a whole number, nothing can be done. If it is, it must be split into
micro-batches of equal size.
</details>

<details><summary>Hint 2 (click to open): how do I find the largest micro-batch?</summary>

Try `max_micro_batch`, then one less, and so on. The first that divides the share is the answer; 1 always does.
</details>
"""


# %% solution="accumulation_plan"
def accumulation_plan(global_batch, num_ranks, max_micro_batch):
    """Return (micro_batch, accumulation_steps), with the largest micro-batch that fits, or raise ValueError."""
    ### BEGIN SOLUTION
    if global_batch % num_ranks:
        raise ValueError(f"{global_batch} sequences cannot be shared equally by {num_ranks} ranks")
    share = global_batch // num_ranks
    for micro_batch in range(max_micro_batch, 0, -1):
        if share % micro_batch == 0:
            return micro_batch, share // micro_batch
    raise ValueError("max_micro_batch must be at least 1")
    ### END SOLUTION


# %% tests="accumulation_plan_more_gpus" points=1
# At most 4 at a time: a recipe of 128 sequences moves from 8 to 16 ranks; then 120 sequences on
# 8 ranks. A plan exists wherever the share of a rank is a whole number: no ValueError here.
check(
    accumulation_plan(128, 16, 4),
    (4, 2),
    what="micro-batch and accumulation for 128 sequences on 16 ranks, at most 4 at a time",
    mistakes={
        "8 is the share of a rank in sequences; twice the ranks, so each needs half the micro-batches": (4, 8),
        "this is the plan for 8 ranks: on 16 it would be 256 sequences": (4, 4),
        "the order is (micro_batch, accumulation_steps), and a micro-batch of 4 still fits": (2, 4),
        "this fits, but a larger micro-batch does too": (1, 8),
        "this micro-batch does not fit": (8, 1),
        "this is the plan of a single rank; 16 of them share the batch": (4, 32),
    },
)
check(
    accumulation_plan(120, 8, 4),
    (3, 5),
    what="micro-batch and accumulation for 120 sequences on 8 ranks, at most 4 at a time",
    mistakes={
        "8 ranks × 4 × 3 are 96 sequences, not 120: the micro-batch must divide the share of a rank": (4, 3),
        "8 ranks × 4 × 4 are 128 sequences, not 120: the micro-batch must divide the share of a rank": (4, 4),
        "accumulation steps must be a whole number: the micro-batch must divide the share of a rank": (4, 3.75),
        "this fits, but a larger micro-batch does too: try every one, not only powers of two": (1, 15),
        "15 at a time do not fit": (15, 1),
    },
)

# %% tests="accumulation_plan_impossible" points=1
# 128 sequences cannot be shared equally by 6 ranks, nor 4 sequences by 8.
check_raises(ValueError, accumulation_plan, 128, 6, 4, because="128 sequences are not a multiple of 6")
check_raises(ValueError, accumulation_plan, 4, 8, 4, because="4 sequences are fewer than 8 ranks")

# %% tests="accumulation_plan_any_cluster" points=1
# Checked when you are graded: the product is exact, the micro-batch fits, and no larger one
# would do.
### BEGIN HIDDEN TESTS
for _batch, _ranks, _largest in ((120, 4, 7), (1024, 8, 6), (7, 7, 5), (96, 3, 64), (22, 2, 10), (1, 1, 1)):
    _share = _batch // _ranks
    _best = max(size for size in range(1, _largest + 1) if _share % size == 0)
    check(
        accumulation_plan(_batch, _ranks, _largest),
        (_best, _share // _best),
        what=f"micro-batch and accumulation: {_batch} sequences, {_ranks} ranks, at most {_largest} at a time",
    )
### END HIDDEN TESTS

# %% [markdown]
r"""
## 1.5 "The same batch size"

Here are three recipes of that handbook as it stood in July 2025, to *fine-tune* a model: to train a finished model a
little further on conversations. "QLoRA" freezes the model, stores it in 4 bits, and trains small added matrices,
called adapters. The columns $b$, $K$ and the learning rate come from the configuration files, $N$ from the README or
a comment; the rest is computed.
"""

# %%
print("recipe                        N   b   K   sequences a step   tokens a step, at most   learning rate")
for recipe in table("recipes"):
    num_ranks, micro_batch, accumulation_steps = (
        int(recipe[key]) for key in ("num_ranks", "micro_batch", "accumulation_steps")
    )
    sequences = num_ranks * micro_batch * accumulation_steps
    tokens = sequences * recipe["sequence_length"]
    print(f"{recipe['recipe']:27s}{num_ranks:4d}{micro_batch:4d}{accumulation_steps:4d}", end="")
    print(f"{sequences:19d}{tokens:25,.0f}{recipe['learning_rate']:16.0e}")

# %% [markdown]
r"""
**What you see.** Two recipes come to 128, yet one step of SmolLM3 can hold 32 times as many tokens: it packs short
texts together until 65 536 tokens are full, while Zephyr's sequences end at 2048. And the QLoRA recipe is not the
full recipe on fewer GPUs. Its batch is 16 times smaller and its learning rate 10 times *larger*; it is a different
experiment. One can read that its micro-batch is smaller because QLoRA needs more memory. The opposite is true: a
model in 4 bits with small adapters needs *less* than full fine-tuning. But its recipe is written for one consumer GPU
of 24 GB and the full one for eight of 80 GB; the smaller micro-batch goes with the smaller GPU.

Whenever somebody says "batch size", ask: of what, and per what?

## Exercise 1.5: `quiz_recipes` (1 point, 4 minutes, core)

Which of these statements hold? Answer with a set of letters, such as `{"A", "B"}`.

- **A** At a constant global batch and micro-batch, going from 8 to 4 ranks halves the accumulation steps.
- **B** Zephyr and SmolLM3 both take 128 sequences a step, but a step of SmolLM3 can hold 32 times as many tokens.
- **C** The QLoRA recipe keeps the global batch of the full recipe and makes up for fewer GPUs with accumulation.
- **D** Twice the sequences, each half as long, make a step of the same number of tokens and of the same number of
  examples.
- **E** If the same 128 equally long sequences are spread over 16 ranks in the place of 8, the update is the same up
  to rounding (in a model without dropout and BatchNorm).
"""

# %% solution="quiz_recipes"
### BEGIN SOLUTION answer_quiz_recipes = set()  # for example {"A", "B"}
answer_quiz_recipes = {"B", "E"}
### END SOLUTION

# %% tests="quiz_recipes_choice" points=1
# The verdict on each of your letters, with the reason.
check_choice("quiz_recipes", answer_quiz_recipes)

# %% [markdown]
r"""
## 1.6 What was published

Large language models were trained with millions of tokens a step. The table that follows circulates in course notes,
in the columns *printed*; beside it stand the values in the papers. The last column gives the largest batch of the
paper in sequences.
"""

# %%
published = table("published_batches")
print("model             tokens a step: printed → paper        learning rate: printed → paper     sequences")
for row in published:
    printed = f"{row['printed_batch_low'] / 1e6:.1f}–{row['printed_batch_high'] / 1e6:.1f}M"
    paper = f"{row['published_batch_low'] / 1e6:.1f}–{row['published_batch_high'] / 1e6:.1f}M"
    printed_rate = f"{row['printed_rate_low']:.1e}–{row['printed_rate_high']:.1e}"
    paper_rate = f"{row['published_rate_low']:.1e}–{row['published_rate_high']:.1e}"
    sequences = row["published_batch_high"] / row["sequence_length"]
    print(f"{row['model']:18s}{printed:>12s} → {paper:22s}{printed_rate:>16s} → {paper_rate:20s}{sequences:6.0f}")

# %% [markdown]
r"""
**What you see.** All of them take between 1.5 and 4 million tokens a step, a thousand or two sequences. Those are
runs of 2020 to 2023; later ones went further (Llama 3 405B raised its batch from 4 to 16 million tokens during the
run, DeepSeek-V3 from 3072 to 15 360 sequences). Where the paper gives a range of batches, the batch grew in the
course of training, a habit whose reason lesson 06 gives.

Rounding is not a mistake: "2M" for Pythia's 2 097 152 is fair. Two of the rows are wrong beyond rounding. In five
rows the eye finds them; in the tables you will meet at work it does not, so write the audit.

## Exercise 1.6: `wrong_rows` (2 points, 7 minutes, core)

Return the models for which any printed value differs from the published one by more than 10 %.

- `rows`: list of dictionaries with the keys of the table, `model` and, for each of `batch` and `rate`:
  `printed_…_low`, `printed_…_high`, `published_…_low`, `published_…_high` (all numbers)
- a value is off where |printed − published| > 0.1 · published
- returns a set of model names

<details><summary>Hint 1 (click to open): how many comparisons has a row?</summary>

Four: batch and rate, each at its low and its high end.
</details>

<details><summary>Hint 2 (click to open): how do I avoid writing four lines?</summary>

Loop over the endings `"batch_low"`, `"batch_high"`, `"rate_low"`, `"rate_high"` and build the keys with `"printed_" +
ending`.
</details>
"""


# %% solution="wrong_rows"
def wrong_rows(rows):
    """Return the set of models of which a printed value is more than 10 % off the published one."""
    ### BEGIN SOLUTION
    endings = ("batch_low", "batch_high", "rate_low", "rate_high")
    return {
        row["model"]
        for row in rows
        for ending in endings
        if abs(row["printed_" + ending] - row["published_" + ending]) > 0.1 * row["published_" + ending]
    }
    ### END SOLUTION


# %% tests="wrong_rows_small_table" points=1
# A made-up table: each row says by its name what is special about it.
_paper = {"batch_low": 2e6, "batch_high": 2e6, "rate_low": 3e-4, "rate_high": 3e-4}
_special = {
    "correct": {},
    "rounded": {"batch_high": 2.1e6},
    "batch too high at the end": {"batch_high": 3e6},
    "batch too low at the start": {"batch_low": 1e6},
    "batch a little too high at the start": {"batch_low": 2.21e6},
    "rate too high at the end": {"rate_high": 6e-4},
    "rate too low at the start": {"rate_low": 1e-4},
}
_rows = [
    {"model": name}
    | {f"published_{key}": value for key, value in _paper.items()}
    | {f"printed_{key}": value for key, value in (_paper | changed).items()}
    for name, changed in _special.items()
]
_expected, _found = {name for name in _special if "too" in name}, wrong_rows(_rows)
if not isinstance(_found, set | frozenset | list | tuple) or not all(isinstance(name, str) for name in _found):
    raise WrongAnswer(
        "a set of model names", repr(_found), "the function ends without `return`" if _found is None else ""
    )
if set(_found) != _expected:
    _missed, _extra = sorted(_expected - set(_found)), sorted(set(_found) - _expected)
    raise WrongAnswer(str(sorted(_expected)), str(sorted(_found)), f"missed: {_missed}; wrongly accused: {_extra}")
print("right:", sorted(_found))

# %% tests="wrong_rows_published" points=1
# Checked when you are graded: the published table, tables in which one value is off by a little
# more than 10 %, and that rows stay as they are.
### BEGIN HIDDEN TESTS
_found = set(wrong_rows(published))
if published != table("published_batches"):
    raise WrongAnswer("the rows unchanged", "changed rows", "the function writes into its input")
if _found != {"GPT-3 175B", "Chinchilla 70B"}:
    raise WrongAnswer("the two rows of the published table that are wrong", str(sorted(_found)))
_ends = ("batch_low", "batch_high", "rate_low", "rate_high")
_fine = {f"{kind}_{end}": 2.0 for kind in ("printed", "published") for end in _ends}
for _changed in (*((end,) for end in _ends), _ends):
    for _value, _off in ((1.79, True), (1.81, False), (2.19, False), (2.23, True)):
        _row = _fine | {f"printed_{end}": _value for end in _changed} | {"model": "it"}
        _names = set(wrong_rows([_row, _fine | {"model": "fine"}]))
        if _names != ({"it"} if _off else set()):
            raise WrongAnswer(
                f"{'off' if _off else 'not off'}: {', '.join(_changed)} printed as {_value} where 2 is published",
                str(_names),
            )
### END HIDDEN TESTS

# %% [markdown]
r"""
## 1.7 Whose steps does the log count?

A training loop has several counters. They agree as long as there is one rank and no accumulation; then they part:

| on the screen | moves on with every |
|---|---|
| micro-steps | backward pass, on each rank |
| optimizer steps | $K$ micro-steps |
| learning-rate schedule | optimizer step, *if it is wired right* |
| epochs | pass over the data, counted over **all** ranks: $N \cdot b$ examples with every micro-step |
| logged loss | what you make of it: of the last micro-batch on one rank, or averaged over the whole step |

**Smallest case.** 2000 examples, 4 ranks, micro-batches of 5, 10 accumulation steps. One step takes 200 examples, so
10 steps make an epoch. After 100 micro-steps:
"""

# %%
num_examples, num_ranks, micro_batch, accumulation_steps = 2000, 4, 5, 10
micro_steps = 100
print("optimizer steps:", micro_steps // accumulation_steps)
print("epochs:         ", micro_steps * num_ranks * micro_batch / num_examples)

# %% [markdown]
r"""
The counter that does harm is the schedule. A decay to zero is planned for 1000 optimizer steps. If the loop calls
`scheduler.step()` after each micro-batch, it is over after 100 of them. Some libraries step the schedule once *for
each rank*; with the 4 ranks here it is over after 250. Nothing crashes; the run merely stops learning. (Reports:
accelerate
#963 and #2926, diffusers #3954. A cosine schedule may even rise again where it should have ended.)
"""

# %%
planned_steps = 1000
step = np.arange(planned_steps)
ways = {"every step": 1, "every step, on each rank": num_ranks, "every micro-step": accumulation_steps}
fig, axes = plt.subplots()
for (name, calls_per_step), style in zip(ways.items(), ("-", "--", ":"), strict=True):
    learning_rate = np.clip(1 - step * calls_per_step / planned_steps, 0, 1)
    axes.plot(step, learning_rate, style, label=f"{name} (mean rate {learning_rate.mean():.2f})")
axes.set(xlabel="optimizer steps", ylabel="learning rate / peak")
_ = axes.legend(title="scheduler.step() is called")

# %% [markdown]
r"""
**What you see.** Four calls in each step leave a quarter of the mean rate (in the legend), ten calls a tenth.

The logged loss deserves a word too. If the loop divides the loss by $K$ before the backward pass, as lesson 02 does,
and logs *that*, the curve is $K$ times too low. If it logs the last micro-batch of one rank alone, $b$ examples
instead of $N b K$, the curve has the right height and more noise: $\sqrt{NK}$ times the scatter of the step's own
average, by lesson 00.

## Exercise 1.7: `progress` (2 points, 6 minutes, core)

Say where a run stands.

- `micro_steps`: backward passes that each rank has done; `num_ranks`, `micro_batch` (examples), `accumulation_steps`
- `num_examples`: size of the data set
- returns `(optimizer_steps, epochs)`: completed optimizer steps, a whole number; and passes over the data by all
  ranks together, a fraction. Micro-batches that wait for their optimizer step have been read, so they count for the
  epochs

<details><summary>Hint 1 (click to open): which of the two depends on the number of ranks?</summary>

Only the epochs. All ranks take each optimizer step together.
</details>

<details><summary>Hint 2 (click to open): what about a step that is not complete?</summary>

`//` divides and rounds down.
</details>
"""


# %% solution="progress"
def progress(micro_steps, num_ranks, micro_batch, accumulation_steps, num_examples):
    """Return (optimizer_steps, epochs) after micro_steps backward passes on each rank."""
    ### BEGIN SOLUTION
    return micro_steps // accumulation_steps, micro_steps * num_ranks * micro_batch / num_examples
    ### END SOLUTION


# %% tests="progress_by_hand" points=1
# 2000 examples, 4 ranks, micro-batches of 5, 10 accumulation steps, after 308 micro-steps.
check(
    progress(308, 4, 5, 10, 2000),
    (30, 3.08),
    what="optimizer steps, epochs",
    mistakes={
        "the optimizer steps once in 10 micro-steps, not after each: a schedule wired so is over after a tenth of the run": (
            308,
            3.08,
        ),
        "every rank is counted as a step of its own: a schedule wired so is over after a quarter of the run": (
            123,
            3.08,
        ),
        "count completed optimizer steps, not fractions of them": (30.8, 3.08),
        "the 31st optimizer step is not complete: round down": (31, 3.08),
        "the epochs count only what one rank has read; the other three read other examples": (30, 0.77),
        "the epochs count one micro-batch for each optimizer step": (30, 0.3),
        "epochs are a fraction, and micro-batches that wait for their optimizer step have been read too": (30, 3.0),
        "every micro-step is counted as an optimizer step, and the epochs count only one rank": (308, 0.77),
        "a micro-step reads N b examples, not a global batch: K is in the number of micro-steps": (30, 30.8),
        "micro_steps are counted on each rank; all ranks take an optimizer step together": (7, 3.08),
        "micro_steps are counted on each rank, not summed over the ranks": (7, 0.77),
        "the order is (optimizer_steps, epochs)": (3.08, 30),
    },
)

# %% tests="progress_any_moment" points=1
# Checked when you are graded: in the middle of a step, at the start, and without accumulation.
### BEGIN HIDDEN TESTS
check(progress(309, 4, 5, 10, 2000), (30, 3.09), what="nine micro-steps into the next optimizer step")
check(progress(9, 2, 1, 10, 90), (0, 0.2), what="before the first optimizer step")
check(progress(0, 8, 16, 4, 1000), (0, 0.0), what="at the start")
check(progress(7, 3, 2, 1, 84), (7, 0.5), what="without accumulation")
check(progress(7, 3, 2, 2, 1024), (3, 42 / 1024), what="1024 examples, which 3 ranks cannot share equally")
### END HIDDEN TESTS

# %% [markdown]
r"""
## Recap

* One step averages over $B = N\,b\,K$ sequences, $B s$ tokens. $N$ counts copies of the model, not GPUs.
* Weak and strong scaling differ step by step; a whole run over the same data gets faster either way, under strong
  scaling by less and less.
* A recipe moves to another machine by keeping $B$ in whole numbers, or not at all.
* Two batch sizes can be compared only in the same unit, and a schedule only in optimizer steps (or, better, in
  tokens).

**Where this breaks.** "The same step" holds for averages over equal numbers of tokens: lesson 02 finds and repairs
the exceptions. That a run needs the same data at every batch size is an assumption: lessons 03 to 07 measure it. The
time model leaves out overlap of communication and computation: lesson 09.

**Sources.** Brown et al. 2020 (arXiv 2005.14165), Table 2.1; Touvron et al. 2023 (2302.13971, Table 2; 2307.09288,
Table 1); Hoffmann et al. 2022 (2203.15556), Table 4; Biderman et al. 2023 (2304.01373) with the configuration of
Pythia-12B; Llama team 2024 (2407.21783), section 3.4; DeepSeek-AI 2024 (2412.19437), section 4.2; alignment-handbook
recipes and `scripts/README.md`, July 2025; issues accelerate #963 and #2926, diffusers #3954.
"""
