# %% [markdown]
r"""
# 10 · How many GPUs, what batch, what will it cost?

Two questions stop a plan for a training run. More GPUs make it faster: up to how many? And a larger batch keeps them
busy: up to which? Textbooks answer each with a limit of its own, the network for one and the critical batch size for
the other. This lesson puts both into one formula that fits on a line. Then come the operations of a run, the size of
the model, and prices; at the end a page of wishes becomes a plan.

**You will** compute what a run takes and costs; say what the next doubling of GPUs buys, in time and in examples;
find the fastest batch for a cluster, and the number of GPUs at which communication and batch waste half each; count
the operations of a run; choose the size of a model by its loss, and by who is going to use it; tell from the first
hours of a run which of its numbers was wrong; answer sayings from meetings with a computation; and turn a written
brief into a plan.

**You need** lessons 05 (the law of steps and examples), 06 (the noise scale), 08 (what fits) and 09 (what a step
sends); 10.9 also takes up the rules for rate and warmup (03, 04).

**Minutes** 230, in four sittings: 10.1–10.3, 10.4–10.6, 10.7–10.8, 10.9

**Points** 16
"""

# %%
import math
from dataclasses import dataclass, replace

import matplotlib.pyplot as plt
import numpy as np

from largebatch import collectives, demos, memory
from largebatch.check import WrongAnswer, check, check_raises, described
from largebatch.quiz import check_choice

plt.style.use("largebatch.course")

# %% [markdown]
r"""
| symbol | in code | meaning | unit |
|---|---|---|---|
| $N$ | `num_gpus` | GPUs, one data-parallel rank each (lesson 09 called their number $R$) | – |
| $B$ | `batch` | global batch | examples; later in 10.3, tokens |
| $S_{\min}$ | `min_steps` | the fewest steps, with an endless batch | steps |
| $E_{\min}$ | `min_examples`, `min_tokens` | the fewest examples, with a tiny batch | examples; tokens |
| $B_\text{crit} = E_{\min}/S_{\min}$ | `critical_batch` | critical batch size | as $B$ |
| $c$ | `seconds_per_example`, `seconds_per_token` | time that one GPU computes for one of them | seconds |
| $t$ | `step_overhead` | time of a step in which communication keeps the GPUs waiting | seconds |
| $T$ | `seconds` | time of the whole run; $N\,T$ is its cost | seconds; GPU-seconds |

## 10.1 The corner

An exercise in a textbook on distributed machine learning (10.8.3). Every GPU takes 64 examples in a step, so $N$ of
them make a batch of $B = 64\,N$. A step computes for 200 ms and then spends 50 ms on an all-reduce, on any number of
GPUs (the textbook calls them workers). The target takes 200 000 examples as long as the batch is at most 2048. From
there on, twice the batch takes twice the examples:

$$
E = E_{\min}\,\max\left(1, \frac{B}{B_\text{crit}}\right) .
$$

A law with a corner. Which of 8, 32 and 64 GPUs reach the target first? By hand, for 8:
"""

# %%
examples_per_gpu, min_examples, critical_batch = 64, 200_000, 2048
compute_seconds, communication_seconds = 0.200, 0.050

batch = 8 * examples_per_gpu
steps = min_examples / batch
print(f"batch {batch}: {steps:.1f} steps, that is {math.ceil(steps)} whole ones")
seconds = math.ceil(steps) * (compute_seconds + communication_seconds)
print(f"{seconds:.2f} s, and 8 GPUs are paid for that long: {8 * seconds:.0f} GPU-seconds")

# %% [markdown]
r"""
## Exercise 10.1: `run_cost` (2 points, 7 minutes, core)

Return how long such a run takes, and what it costs.

- `num_gpus`, `examples_per_gpu`: their product is the batch
- `min_examples`, `critical_batch`: the law with a corner, for any batch, also between two doublings
- `compute_seconds`, `communication_seconds`: of one step, one after the other, the same on any number of GPUs
- returns `(seconds, gpu_seconds)`; a run ends with a whole step, so the number of steps is rounded up
- for the 8 GPUs above: `(97.75, 782.0)`

<details><summary>Hint 1 (click to open): in which order?</summary>

The batch gives the examples, both together give the steps, the steps give the seconds, and these the cost.
</details>

<details><summary>Hint 2 (click to open): the corner</summary>

`min_examples * max(1, batch / critical_batch)`; then `math.ceil` of what the steps come to.
</details>
"""


# %% solution="run_cost"
def run_cost(num_gpus, examples_per_gpu, min_examples, critical_batch, compute_seconds, communication_seconds):
    """Return the seconds and the GPU-seconds of a run in whole steps, by the law with a corner."""
    ### BEGIN SOLUTION
    batch = num_gpus * examples_per_gpu
    examples = min_examples * max(1, batch / critical_batch)
    seconds = math.ceil(examples / batch) * (compute_seconds + communication_seconds)
    return seconds, num_gpus * seconds
    ### END SOLUTION


# %% tests="run_cost_by_hand" points=1
# 64 GPUs, past the corner; 48, past it but not by a doubling; 24, before it.
_textbook = (64, 200_000, 2048, 0.2, 0.05)
_both = run_cost(64, *_textbook)
if np.size(_both) == 1 and _both is not None:
    raise WrongAnswer("two numbers, the seconds and the GPU-seconds", described(_both))
check(
    _both,
    (24.5, 1568.0),
    what="seconds, GPU-seconds with 64 GPUs",
    mistakes={
        "these are the steps of one GPU alone; 64 of them share the examples of a step": (1562.5, 100_000.0),
        "the examples stay at 200 000; past the corner this batch takes twice as many": (12.25, 784.0),
        "the examples are doubled twice; from 2048 to 4096 is one doubling": (49.0, 3136.0),
        "the all-reduce takes 50 ms for all GPUs together, not for each": (98 * 3.4, 64 * 98 * 3.4),
        "there is no part of a step: round their number up": (24.4140625, 1562.5),
        "there is no part of a step: the cost must count whole ones, too": (24.5, 1562.5),
        "the last step is not full, but it is a step: round their number up": (24.25, 1552.0),
        "round up the number of steps, not the seconds": (25.0, 1600.0),
        "these are seconds twice; all 64 GPUs are paid for that long": (24.5, 24.5),
        "these are GPU-seconds, seconds; asked for are seconds, GPU-seconds": (1568.0, 24.5),
        "the all-reduce is missing, or hidden; here a step computes, and then communicates": (19.6, 1254.4),
        "this is the computation alone that every GPU is paid for; it waits for the all-reduce, too": (24.5, 1254.4),
        "the GPUs work one after the other here; they compute at the same time": (98 * 12.85, 64 * 98 * 12.85),
        "64 examples take a GPU 200 ms, however many other GPUs there are": (98 * 0.053125, 64 * 98 * 0.053125),
        "the batch is that of one GPU; together they have 64 times as much": (781.25, 50_000.0),
        "this is the smooth law, which comes next; here the law has a corner": (36.75, 2352.0),
    },
)
check(
    run_cost(48, *_textbook),
    (24.5, 1176.0),
    what="seconds, GPU-seconds with 48 GPUs",
    mistakes={
        "less than a doubling counts, too: 1.5 times the critical batch takes 1.5 times the examples": (16.5, 792.0),
        "1.5 times the critical batch takes 1.5 times the examples, not twice as many": (32.75, 1572.0),
    },
)
check(
    run_cost(24, *_textbook),
    (32.75, 786.0),
    what="seconds, GPU-seconds with 24 GPUs",
    mistakes={
        "before the corner a smaller batch does not take fewer examples: 200 000 are the least": (24.5, 588.0),
        "0.2 of a step is a step: round their number up, not to the nearest": (32.5, 780.0),
    },
)

# %% tests="run_cost_properties" points=1
# Checked when you are graded: one GPU, the corner itself, full last steps, other machines, a tie past the corner.
### BEGIN HIDDEN TESTS
check(run_cost(8, *_textbook), (97.75, 782.0), what="the 8 GPUs of the text")
check(run_cost(1, *_textbook), (781.25, 781.25), what="one GPU")
check(run_cost(32, *_textbook), (24.5, 784.0), what="exactly at the corner")
check(run_cost(25, *_textbook), (31.25, 781.25), what="25 GPUs: 125 full steps")
check(run_cost(10, 30, 10_001, 100, 0.5, 0.1), (60.6, 606.0), what="another run: 100.01 steps")
check(run_cost(6, 50, 9_000, 400, 2.0, 0.0), (60.0, 360.0), what="free communication, 30 full steps")
_many = [float(run_cost(_number, *_textbook)[0]) for _number in (32, 33, 47, 100, 1000)]
check(_many, [24.5] * 5, unit="s", what="32, 33, 47, 100 and 1000 GPUs")
### END HIDDEN TESTS

# %% [markdown]
r"""
All of them now, up to 256 GPUs, with one more column: how long a single pass over 200 000 examples takes.
"""

# %%
num_gpus = 8 * 2 ** np.arange(6)  # 8 to 256
batch = num_gpus * examples_per_gpu
examples = min_examples * np.maximum(1, batch / critical_batch)
step_seconds = compute_seconds + communication_seconds
seconds = step_seconds * np.ceil(examples / batch)
one_pass = step_seconds * np.ceil(min_examples / batch)
print("GPUs   batch    examples   seconds   GPU-seconds   seconds for one pass")
for row in zip(num_gpus, batch, examples, seconds, num_gpus * seconds, one_pass, strict=True):
    print("{:4d} {:7,} {:11,.0f} {:9.2f} {:13,.0f} {:22.2f}".format(*row))

# %% [markdown]
r"""
**What you see.** The time stops at 24.50 s with 32 GPUs, and all larger numbers are *tied* with it. So "which of the
three minimises the time" has two answers: 32 and 64 do, and 64 cost twice as much. The last column is what makes
people buy them: rounding aside, a pass over the data takes half the time with every doubling, down to a pass of one
step. It takes more passes.

Before the corner the cost hardly changes, because a step takes a quarter of a second on any number of GPUs. What
little it does change is rounding:
"""

# %%
cost = {n: n * step_seconds * math.ceil(min_examples / (n * examples_per_gpu)) for n in range(1, 33)}
cheapest = [n for n in cost if cost[n] == min(cost.values())]
print(f"cheapest: {min(cost.values())} GPU-seconds with {cheapest} GPUs, dearest: {max(cost.values())}")

# %% [markdown]
r"""
**What you see.** One GPU would need 3125 steps. Only numbers of GPUs that divide it leave no part of the last step
empty. From here on parts of a step are allowed: the differences are below one per cent.

Where does the corner come from, though? The steps measured in lesson 05 bend a little more sharply than the law that
was derived there; a corner they do not have.

## 10.2 The law without a corner

Lesson 05 derived $S = S_{\min}(1 + B_\text{crit}/B)$ and $E = E_{\min}(1 + B/B_\text{crit})$. Let each GPU keep its
$b$ examples, $B = bN$, and let a step take $\tau$ seconds on any number of GPUs, as in the exercise. Then

$$
T = \tau\,S = \tau\,S_{\min} + \frac{\tau\,E_{\min}}{b\,N} ,
\qquad\text{seconds} = \frac{\text{seconds}}{\text{step}}\cdot\text{steps} .
$$

A part that does not depend on $N$, and a part that is divided by it: that is **Amdahl's law**. What is serial here is
not a piece of the program. It is that a step needs the weights that the step before has left, $S_{\min}$ times in a
row. With $N_c = B_\text{crit}/b$, the GPUs that make up one critical batch, the speed-up over one GPU (if it, too,
waited 50 ms in each step) is

$$
\frac{T(1)}{T(N)} = \frac{1 + N_c}{1 + N_c/N} \;<\; 1 + N_c .
$$

Before you run it: in the law with a corner 64 GPUs are no faster than 32. How many times as fast are they by this
one?
"""

# %%
min_steps, knee = min_examples / critical_batch, critical_batch / examples_per_gpu
print(f"{knee:.0f} GPUs make a critical batch; the fewest steps are {min_steps:.1f}\n")
sharp = step_seconds * examples / batch  # the corner again, in parts of a step
smooth = step_seconds * min_steps * (1 + critical_batch / batch)
print("GPUs   seconds: corner    law   GPU-seconds: corner    law   speed-up of the law over one GPU")
for n, corner, law in zip(num_gpus, sharp, smooth, strict=True):
    speedup = (1 + knee) / (1 + knee / n)
    print(f"{n:4d} {corner:17.1f} {law:6.1f} {n * corner:21,.0f} {n * law:6,.0f} {speedup:17.1f}")

# %%
gpus = np.geomspace(4, 512, 200)
laws = {"corner": np.maximum(1, knee / gpus), "law": 1 + knee / gpus}
fig, panels = plt.subplots(1, 2, figsize=(9, 3.4))
for name, color in (("corner", "0.5"), ("law", "C0")):
    panels[0].loglog(gpus, step_seconds * min_steps * laws[name], color=color)
    panels[1].loglog(gpus, gpus * step_seconds * min_steps * laws[name], color=color)
panels[0].text(11, 110, "law", color="C0")
panels[0].text(10, 55, "corner", color="0.5", ha="right")
for axes, least, name in ((panels[0], 24.4, "24.4 s, the floor"), (panels[1], 781, "781 GPU-s, the least")):
    axes.axhline(least, color="C1", lw=1, ls=":")
    axes.text(4, least * 0.94, name, color="C1", va="top")
    axes.plot(knee, 2 * least, "o", color="C0")
    left = axes is panels[1]
    axes.text(28 if left else 36, 2.2 * least, "twice that", color="C0", ha="right" if left else "left")
    axes.set_xticks([4, 8, 16, 32, 64, 128, 256, 512], labels=[4, 8, 16, 32, 64, 128, 256, 512])
    axes.set_xlabel("GPUs")
panels[0].set(ylabel="time of the run (s)", ylim=(16, 300))
panels[1].set(ylabel="cost of the run (GPU-seconds)", ylim=(500, 2e4))
panels[0].set_yticks([20, 50, 100, 200], labels=[20, 50, 100, 200])
panels[1].set_yticks([500, 1000, 2000, 5000, 10_000, 20_000], labels=[500, 1000, 2000, 5000, "10 000", "20 000"])
for axes in panels:
    axes.minorticks_off()
fig.tight_layout()

# %% [markdown]
r"""
**What you see.** Nothing is tied. 64 GPUs take 36.6 s where 32 take 48.8: they are 1.33 times as fast, for half as
much money again. 256 are faster still, and 24.4 s is never reached. The corner promised 32 GPUs the shortest time
*and* the lowest cost. By the law the time of their run is twice its least, and so is their bill. The two laws agree
only far from the knee, and there is no last useful GPU: whether the next one is worth its price is a question to be
put in numbers.

**What a doubling buys.** Twice the GPUs, twice the batch, at the same time for a step; before it, let $B =
x\,B_\text{crit}$. Then

$$
\frac{T(B)}{T(2B)} = \frac{1 + 1/x}{1 + 1/(2x)} = \frac{2\,(1 + x)}{1 + 2x} ,
\qquad
\frac{E(2B)}{E(B)} = \frac{1 + 2x}{1 + x} ,
$$

and the product of the two is 2, wherever one starts. Of the factor of 2 that was bought, what does not save time is
spent on more examples, and the cost grows by just that second factor:
"""

# %%
print("from      to      times faster   times the examples   product")
for x in (1 / 8, 1 / 2, 1, 2, 8):
    faster = (1 + 1 / x) / (1 + 1 / (2 * x))  # the law, step by step
    more = (1 + 2 * x) / (1 + x)
    assert np.isclose(faster, 2 * (1 + x) / (1 + 2 * x))
    print(f"{x:5.3f} to {2 * x:6.3f} B_crit {faster:9.2f} {more:17.2f} {faster * more:15.2f}")

# %% [markdown]
r"""
**What you see.** A series of articles for technical leaders explains in plain words much of what this course
computes; here and in the sections to come we check its figures. It says that beyond the critical batch a doubling
buys less than 1.5. It does, but the doubling that *ends* at $B_\text{crit}$ buys no more than 1.5 already, and the
next one 1.33. There is no place where the law turns from good to bad.

## Exercise 10.2: `largest_worthwhile` (2 points, 12 minutes, core)

So somebody has to say what a doubling must buy. Return the largest number of GPUs whose last doubling was worth it.

- `critical_batch`, `examples_per_gpu`: the law of this section; each GPU has its own examples, a step takes the same
  time on any number of them
- `least_speedup`: between 1 and 2; the run on $N$ GPUs must be at least so many times as fast as the run on half as
  many (the law does not mind half a GPU)
- returns a whole number, the largest such $N$, of any kind, not only powers of two; in all cases that are tested at
  least one GPU is worth it, and none is a tie, in which rounding errors would decide about one GPU more or less
- for a critical batch of 2048, 64 examples a GPU and a speed-up of 1.45: 39

<details><summary>Hint 1 (click to open): which doubling?</summary>

The one that *ends* at $N$. In the formula above $x$ belongs to the batch before the doubling, $bN/2$.
</details>

<details><summary>Hint 2 (click to open): solve it, or search</summary>

With $y = bN/B_\text{crit}$ the last doubling was worth $(1 + 2/y)/(1 + 1/y) = (y + 2)/(y + 1)$, which falls as $y$
grows. Ask for which $y$ it equals `least_speedup`; or count $N$ up as long as it is enough. (In a plan of your own,
add a little, say `1e-9`, before you round down: computers make 8.999… of 0.9 / 0.1.)
</details>
"""


# %% solution="largest_worthwhile"
def largest_worthwhile(critical_batch, examples_per_gpu, least_speedup):
    """Return the largest number of GPUs that are at least least_speedup times as fast as half as many."""
    ### BEGIN SOLUTION
    ratio = (2 - least_speedup) / (least_speedup - 1)  # of the batch to the critical one
    return math.floor(ratio * critical_batch / examples_per_gpu)
    ### END SOLUTION


# %% tests="largest_worthwhile_by_hand" points=1
# 32 GPUs make a critical batch. A doubling must buy 1.3; then 1.9; then, with other numbers, 1.05.
check(
    largest_worthwhile(2048, 64, 1.3),
    74,
    unit="GPUs",
    what="1.3",
    mistakes={
        "this is where the *next* doubling is worth it; asked for is the last one, from N / 2 to N": 37,
        "this many are not quite fast enough: round down": 75,
        "there is no part of a GPU: round down": 2048 / 64 * 0.7 / 0.3,
        "all whole numbers count, not only powers of two, nor only even ones": 64,
        "this is the critical batch: by the law nothing ends there": 32,
        "this is the law with a corner; asked for is the one without": 49,
        "this is a batch, in examples; asked for are GPUs": 4778,
        "by your law a larger batch takes *more* steps: is a fraction upside down? S grows with B_crit / B": 0,
        "not even the first doubling? S grows with B_crit / B: is a fraction upside down?": 1,
        "this limits the cost to 1.3 times the least; asked for is the speed-up of the last doubling": 9,
        "this limits the time to 1.3 times the floor; asked for is the speed-up of the last doubling": 107,
        "this compares examples; asked for is the speed-up": 27,
        "this compares with a single GPU; asked for is the speed-up over half as many": 2,
        "this compares with one GPU fewer; asked for is the speed-up over half as many": 3,
        "at 74 GPUs the last doubling bought just over 1.3: so many are still worth it": 73,
    },
)
check(
    largest_worthwhile(2048, 64, 1.9),
    3,
    unit="GPUs",
    what="1.9",
    mistakes={
        "this is where the *next* doubling is worth it; asked for is the last one, from N / 2 to N": 1,
        "this many are not quite fast enough: round down": 4,
        "all whole numbers count, not only powers of two, nor only even ones": 2,
    },
)
check(
    largest_worthwhile(10_000, 300, 1.05),
    633,
    unit="GPUs",
    what="1.05, a critical batch of 10 000 and 300 examples a GPU",
    mistakes={
        "this is where the *next* doubling is worth it; asked for is the last one, from N / 2 to N": 316,
        "this many are not quite fast enough: round down": 634,
        "all whole numbers count, not only powers of two, nor only even ones": 512,
    },
)

# %% tests="largest_worthwhile_properties" points=1
# Checked when you are graded: so many are worth it and one more is not; only the ratio of the two batches counts.
### BEGIN HIDDEN TESTS
check(largest_worthwhile(2048, 64, 1.45), 39, unit="GPUs", what="the example of the text")


def _check_last(found, knee, least):
    """Check that the last doubling to so many GPUs was worth it, and that to one more is not; the knee is in GPUs."""
    wanted = f"the largest whole number of GPUs, if {knee:.1f} make a critical batch and {least} is asked for"
    try:
        number = float(found)
    except (TypeError, ValueError):
        raise WrongAnswer(wanted, described(found)) from None
    if not (number >= 1 and number % 1 == 0):
        raise WrongAnswer(wanted, described(found), "this is not a whole number of GPUs, 1 or more")
    bought, next_one = ((1 + 2 * knee / n) / (1 + knee / n) for n in (number, number + 1))
    if bought < least:
        raise WrongAnswer(wanted, described(found), f"too many: the last doubling bought {bought:.4f} only")
    if next_one >= least:
        raise WrongAnswer(wanted, described(found), f"too few: with one more, the last doubling buys {next_one:.4f}")
    print(f"right: {number:,.0f} GPUs, if {knee:.1f} make a critical batch and {least} is asked for")


for _critical, _each, _least in ((2048, 64, 1.013), (500, 7, 1.333), (4_000_000, 2048, 1.1), (90, 1, 1.77)):
    _check_last(largest_worthwhile(_critical, _each, _least), _critical / _each, _least)
check(largest_worthwhile(2048 * 5, 64 * 5, 1.3), 74, unit="GPUs", what="five times both batches")
### END HIDDEN TESTS

# %% [markdown]
r"""
So far the batch grew with the GPUs. It need not. 64 GPUs can share the critical batch of 2048 as well, 32 examples
each, and compute for half as long (strong scaling, lesson 01):
"""

# %%
print("64 GPUs with   batch   a step (s)   run (s): corner    law")
for each in (64, 32, 16, 8):
    batch, step = 64 * each, compute_seconds * each / 64 + communication_seconds
    corner = step * max(min_examples, min_steps * batch) / batch
    law = step * min_steps * (1 + critical_batch / batch)
    print(f"{each:3d} each {batch:12,} {step:12.3f} {corner:17.2f} {law:6.1f}")

# %% [markdown]
r"""
**What you see.** By the exercise's own law with a corner, 64 GPUs with 32 examples each need 14.65 s, far less than
the least of section 10.1 (24.50 s there, in whole steps; 24.41 s with parts of a step). That more GPUs do not shorten
a run beyond the critical batch, as the same series states, is wrong twice: by the law they do, only less and less,
and the batch does not have to grow. But with ever smaller shares the all-reduce takes more and more of a step: 8
examples each are slower again. By the law 32 and 16 each are tied, at 29.3 s, so the best lies between them. Which
batch is the best for a given number of GPUs? And what is the limit then, if not 24.4 s?

## 10.3 The floor and the ceiling

Let $N$ GPUs share a batch of $B$, whatever $B$ is. A step computes for $cB/N$ seconds, where $c$ is the time that one
GPU needs for one example (here 200 ms / 64 = 3.125 ms), and then waits $t$ seconds for the communication. Steps times
seconds a step:

$$
T = \Big(S_{\min} + \frac{E_{\min}}{B}\Big)\Big(\frac{cB}{N} + t\Big)
= \underbrace{\frac{c\,E_{\min}}{N}}_{\text{the work}}
+ \underbrace{\frac{c\,S_{\min}}{N}\,B}_{\text{wasted examples}}
+ \underbrace{\frac{t\,E_{\min}}{B}}_{\text{more steps than the fewest}}
+ \underbrace{t\,S_{\min}}_{\text{the floor}} .
$$

All four are seconds. Two do not depend on the batch: the work, which the GPUs share, and the floor, which no number
of GPUs lowers. Of the other two one grows with the batch and one falls. The 64 GPUs once more:
"""

# %%
seconds_per_example, step_overhead = 0.200 / 64, 0.050
sizes = np.geomspace(200, 12_000, 200)
pieces = {
    "the floor": step_overhead * min_steps + 0 * sizes,
    "the work": seconds_per_example * min_examples / 64 + 0 * sizes,
    "wasted examples": seconds_per_example * min_steps * sizes / 64,
    "more steps": step_overhead * min_examples / sizes,
}
fig, axes = plt.subplots()
axes.stackplot(sizes, *pieces.values(), colors=["C1", "0.8", "C5", "C2"], alpha=0.8)
for name, x, y in zip(pieces, (215, 215, 3800, 260), (2.4, 9.8, 23, 25), strict=True):
    axes.text(x, y, name, va="center")
axes.axvline(critical_batch, color="0.25", lw=1)
axes.text(critical_batch * 1.05, 55, "$B_{crit}$", color="0.25")
axes.set(xscale="log", xlabel="batch (examples)", ylabel="time of the run (s)", xlim=(200, 12_000), ylim=(0, 65))
axes.set_xticks([200, 500, 1000, 2000, 5000, 10_000], labels=[200, 500, 1000, 2000, 5000, 10000])
axes.minorticks_off()

# %% [markdown]
r"""
**What you see.** A valley. To the left too many steps wait for the network, to the right too many examples are
wasted. The bottom lies where those two cost the same, and it is left of $B_\text{crit}$ here.

**The best batch.** Step by step:

1. The product of the two changing pieces, $\frac{c\,S_{\min}}{N}B \cdot \frac{t\,E_{\min}}{B} = \frac{c\,E_{\min}}{N}
   \cdot t\,S_{\min}$, does not depend on $B$.
2. Two positive numbers $p$, $q$ with a given product have the smallest sum when they are equal, as $p + q =
   2\sqrt{pq} + (\sqrt p - \sqrt q)^2$.
3. They are equal at $B^2 = N\,\frac{t\,E_{\min}}{c\,S_{\min}}$, and $E_{\min}/S_{\min} = B_\text{crit}$:

$$
B^*(N) = \sqrt{\frac{N\,B_\text{crit}\,t}{c}} ,
\qquad\text{examples} = \sqrt{\text{examples}\cdot\text{seconds}\,\Big/\,\frac{\text{seconds}}{\text{example}}} .
$$

4. Their sum is then $2\sqrt{pq}$, with $pq$ from line 1. So all four pieces are a square:

$$
T^*(N) = \left(\sqrt{\frac{c\,E_{\min}}{N}} + \sqrt{t\,S_{\min}}\right)^{2} ,
\qquad
N\,T^*(N) = \left(\sqrt{c\,E_{\min}} + \sqrt{N\,t\,S_{\min}}\right)^{2} .
$$

With ever more GPUs the time falls towards the floor, $t\,S_{\min}$; with ever fewer the cost falls towards the least,
$c\,E_{\min}$. Check it by trying 20 000 batches for each number of GPUs:
"""

# %%
sizes = np.geomspace(10, 1e6, 20_000)
print("GPUs   best batch: tried   formula   seconds: tried   formula   GPU-seconds")
for n in (1, 8, 32, 64, 128, 512, 8192):
    tried = (min_steps + min_examples / sizes) * (seconds_per_example * sizes / n + step_overhead)
    best = math.sqrt(n * critical_batch * step_overhead / seconds_per_example)
    least = (math.sqrt(seconds_per_example * min_examples / n) + math.sqrt(step_overhead * min_steps)) ** 2
    print(f"{n:4d} {sizes[tried.argmin()]:19,.0f} {best:9,.0f} {tried.min():16.2f} {least:9.2f} {n * least:13,.0f}")
print(f"floor {step_overhead * min_steps:.2f} s, least cost {seconds_per_example * min_examples:.0f} GPU-seconds")

# %% [markdown]
r"""
**What you see.** Both agree. 64 GPUs are fastest with a batch of 1448, in 28.5 s, and the limit is not 24.4 s but
4.9: twenty per cent of it, the share of the all-reduce in a step of 64 examples each. The best batch is the critical
one at 128 GPUs, and goes on growing beyond, as the root of $N$.

**Where floor and ceiling meet.** At how many GPUs is the best batch just the critical one? $N B_\text{crit}\,t/c =
B_\text{crit}^2$ gives

$$
N_{1/2} = \frac{c\,B_\text{crit}}{t} ,
\qquad\text{GPUs} = \frac{\text{GPU-seconds for a critical batch}}{\text{seconds of waiting in a step}} :
$$

so many GPUs compute a critical batch in just the time that they then wait. Here it is 0.003125 · 2048 / 0.05 = 128.
Measure $N$ in this unit, $r = \sqrt{N/N_{1/2}}$, and put $B^* = r\,B_\text{crit}$ into both factors of $T$:

$$
\frac{\text{time computing}}{\text{time of a step}} = \frac{cB^*/N}{cB^*/N + t} = \frac{1}{1 + r} ,
\qquad
\frac{E_{\min}}{E} = \frac{1}{1 + B^*/B_\text{crit}} = \frac{1}{1 + r} ,
$$

the first because $tN/(cB^*) = r^2/r$. **At the best batch, the share of time lost to waiting and the share of
examples lost to the batch are equal.** What is left of the GPUs' time is the product, $1/(1+r)^2$. So the cost is
$(1+r)^2$ times the least; and since $c\,E_{\min}/N = t\,S_{\min}/r^2$, the time is $(1 + 1/r)^2$ times the floor.

What does one per cent more GPUs save? With $\ln T = 2\ln(1 + 1/r) + \text{const}$, and $d\ln r = \frac12\,d\ln N$,

$$
\frac{d\ln T}{d\ln N} = \frac12\,r\cdot 2\,\frac{-1/r^2}{1 + 1/r} = -\frac{1}{1 + r} :
$$

$1/(1+r)$ per cent of the time, the same share for the third time.
"""

# %%
half = seconds_per_example * critical_batch / step_overhead
work, floor = seconds_per_example * min_examples, step_overhead * min_steps
print(f"N_half = {half:.0f} GPUs; without communication the floor is {seconds_per_example * min_steps:.2f} s\n")
print("N / N_half   B / B_crit   computing   E_min / E   cost / least   time / floor   1 % more GPUs save")
for n in half / 4.0 ** np.arange(3, -2, -1):
    batch = math.sqrt(n * critical_batch * step_overhead / seconds_per_example)
    computing, examples = seconds_per_example * batch / n, min_examples * (1 + batch / critical_batch)
    seconds = min_steps * (1 + critical_batch / batch) * (computing + step_overhead)
    fewer = 1 - (math.sqrt(work / (1.01 * n)) + math.sqrt(floor)) ** 2 / seconds
    print(f"{n / half:10.4f} {batch / critical_batch:12.3f}", end="")
    print(f"{computing / (computing + step_overhead):12.0%} {min_examples / examples:11.0%}", end="")
    print(f"{n * seconds / work:15.2f} {seconds / floor:14.2f} {fewer:14.2%}")

# %% [markdown]
r"""
**What you see.** The three shares are the same in every line (the last is a little smaller, as a whole per cent is
not quite infinitely small). At $N_{1/2}$ each step waits half of its time, half of the examples are wasted, and one
more per cent of GPUs saves half a per cent: four times the least cost, four times the floor. So it is no
recommendation, but the unit in which a cluster is to be measured: at a quarter of it a run costs 2.25 times the
least, at a sixteenth 1.56 times.

A faster network (smaller $t$) and a harder target (larger $B_\text{crit}$, section 5.6) raise $N_{1/2}$ alike. So
does a slower GPU: faster ones on the same network make the useful cluster smaller.

The textbook calls the critical batch a second ceiling, independent of communication, which no faster network lifts. A
floor does remain without any communication: each GPU has at least one example, so a step takes at least $c$ seconds,
and the run $c\,S_{\min}$. But that is 0.3 s, not 24.4. And with communication the two limits are not independent. The
floor is their product: the wait $t$ of a step, times the steps $S_{\min}$ that no batch saves.

**And if the communication is hidden behind computation?** Then a step takes the longer of the two, $\max(cB/N,\, t)$,
at best. As long as $cB/N < t$, a larger batch saves steps for nothing; beyond, it only wastes examples. So the best
batch lets computation just cover communication, $B = Nt/c$, and

$$
T = \Big(S_{\min} + \frac{c\,E_{\min}}{N\,t}\Big)\,t = t\,S_{\min} + \frac{c\,E_{\min}}{N} ,
$$

the work and the floor, and nothing else: once more Amdahl's law.
"""

# %%
print("GPUs   hidden: tried   formula   batch   nothing hidden")
for n in (8, 32, 128, 512):
    tried = (min_steps + min_examples / sizes) * np.maximum(seconds_per_example * sizes / n, step_overhead)
    work, floor = seconds_per_example * min_examples / n, step_overhead * min_steps
    batch, visible = n * step_overhead / seconds_per_example, (math.sqrt(work) + math.sqrt(floor)) ** 2
    print(f"{n:4d} {tried.min():15.2f} {work + floor:9.2f} {batch:7,.0f} {visible:16.2f}")

# %% [markdown]
r"""
**What you see.** Hiding the communication halves the time at $N_{1/2}$, and saves less elsewhere. Two things stay:
the floor, and the number of GPUs at which the best batch is the critical one. Real steps lie in between (the timeline
of section 9.4).

### Seven billion parameters

Now a run of the size of lessons 08 and 09, with $B$ and $E_{\min}$ in tokens. A model with 7 billion parameters, GPUs
that reach 400 TFLOP/s as in section 9.4, 14 GB of gradients in an all-reduce; on one cluster a GPU sends 50 GB/s, on
the other, with an ordinary network of 10 Gbit/s, 1.25 GB/s. Does $t$ depend on the number of GPUs?
"""

# %%
print("all-reduce of 14 GB in s, latency 10 µs       2      8     64    512   4096 GPUs   64 / 8   4096 / 8")
for name, bandwidth in {"50 GB/s": 50e9, "1.25 GB/s": 1.25e9}.items():
    taken = [collectives.seconds("all-reduce", 14e9, n, bandwidth, 1e-5) for n in (2, 8, 64, 512, 4096)]
    print(f"{name:>41s}", *(f"{s:6.2f}" for s in taken), f"{taken[2] / taken[1]:12.2f} {taken[4] / taken[1]:10.2f}")
waiting = 2 * 1e-5 * np.array([63, 4095])  # for messages alone: 2 (N - 1) of them, section 9.4
print(f"latency: {waiting[0]:.3f} s of it on 64 GPUs, {waiting[1]:.3f} s on 4096")

# %% [markdown]
r"""
**What you see.** From 8 GPUs on, little: 13 % more up to 64, and on the fast network 31 % up to 4096. What is added
there beyond 64 GPUs is nearly all latency, which halving-doubling would save (section 9.4). So take the value for
very many and no latency, twice 14 GB over the bandwidth, as if none of it were hidden: 0.56 and 22.4 s.

The other inputs. A GPU computes 6 operations for each parameter and token, which section 10.4 derives. For $E_{\min}$
take 20 tokens for each parameter, 140 billion (section 10.5). $B_\text{crit}$ is the shakiest of all. A fit to models
of up to 1.2 billion parameters gives $22.91\,D^{0.47}$ sequences of 512 tokens, $D$ in millions of tokens (Zhang et
al. 2024):
"""

# %%
min_tokens, sequence_length = 140e9, 2048
seconds_per_token = 6 * 7e9 / 400e12
print(f"seconds a token: {seconds_per_token:.3g}")
fitted = 22.91 * (min_tokens / 1e6) ** 0.47 * 512
print(f"critical batch by the fit: {fitted / 1e6:.1f} million tokens")
overheads = {"50 GB/s": 2 * 14e9 / 50e9, "1.25 GB/s": 2 * 14e9 / 1.25e9}

# %% [markdown]
r"""
That is the batch which costs 20 % more steps than perfect scaling, that is, than $E_{\min}/B$ of them: another
definition than ours. By our law $1 + B/B_\text{crit} = 1.2$ lies at $B_\text{crit}/5$, so that ours would be five
times as large, about 15 million. A direct measurement on models of 1 and 7 billion parameters, under a third
definition, found about 17 million tokens (4096 documents of 4096 tokens; Merrill et al. 2025); in the first steps of
a run it is next to nothing, and it has grown to that early on. Against 15 and 17 we go on with 4 million, which is
cautious: the batch with which LLaMA was trained (Touvron et al. 2023). $N_{1/2}$ is proportional to it.

Before you run it: one network is 40 times as fast as the other. What does that do to $N_{1/2}$, and to the floor?
"""

# %%
critical_batch = 4e6
min_steps = min_tokens / critical_batch
print(f"fewest steps {min_steps:,.0f}; least cost {seconds_per_token * min_tokens / 3600:,.0f} GPU-hours\n")
for name, step_overhead in overheads.items():
    half, floor = seconds_per_token * critical_batch / step_overhead, step_overhead * min_steps / 3600
    print(f"{name:9s}: N_half {half:6.1f} GPUs, floor {floor:6.1f} hours, at N_half {4 * floor:6.1f} hours")

# %% [markdown]
r"""
**What you see.** Forty times for both. The same GPUs, the same model, and one cluster comes down to a quarter of
useful work (half of each step waits, half of the tokens are wasted) at 750 GPUs, the other at 19. On the second even
endlessly many GPUs need more than nine days.

## Exercise 10.3: `best_batch` (2 points, 15 minutes, core)

Find the batch for a cluster. One condition is new: each GPU runs whole sequences, equally many, at least one.

- `num_gpus`, `critical_batch` (tokens), `seconds_per_token` ($c$), `step_overhead` ($t$, seconds),
  `sequence_length` (tokens)
- returns the global batch, in tokens, for which $T$ is least (nothing hidden), among those that can be run; for 2
  GPUs, a critical batch of 9000 tokens, 0.001 s a token, 0.5 s a step and sequences of 100 tokens: 3000
- the batch may be larger than $B_\text{crit}$ where that is faster

<details><summary>Hint 1 (click to open): what is missing for T?</summary>

You are given neither $S_{\min}$ nor $E_{\min}$, only their ratio. $T$ is proportional to
$(1 + B_\text{crit}/B)(cB/N + t)$, and a factor does not move the minimum.
</details>

<details><summary>Hint 2 (click to open): rounding</summary>

$B^*$ for sequences of $s$ tokens are $B^*/(Ns)$ of them on each GPU. The best whole number is next to it, below or
above, and not always the nearer one: compare the times of both.
</details>
"""


# %% solution="best_batch"
def best_batch(num_gpus, critical_batch, seconds_per_token, step_overhead, sequence_length):
    """Return the global batch (tokens) of the fastest run, in whole sequences on each GPU."""

    ### BEGIN SOLUTION
    def time(batch):  # of the whole run, up to a factor
        return (1 + critical_batch / batch) * (seconds_per_token * batch / num_gpus + step_overhead)

    one_each = num_gpus * sequence_length
    below = math.sqrt(num_gpus * critical_batch * step_overhead / seconds_per_token) // one_each
    return min((max(1, below) * one_each, (below + 1) * one_each), key=time)
    ### END SOLUTION


# %% tests="best_batch_by_hand" points=1
# 64 GPUs on the slow network; 25 000 and then 2400 on the fast one, where few sequences are left for each.
_c, _each = 6 * 7e9 / 400e12, 64 * 2048
_exact = np.sqrt(64 * 4e6 * 22.4 / _c)


def _batch_of(*run):
    """Return the learner's batch; WrongAnswer where an empty one is divided by."""
    try:
        return best_batch(*run)
    except ZeroDivisionError:
        cause = "the time of a batch of 0, rounded down from less than a sequence: each GPU has at least one"
        raise WrongAnswer(f"the best batch of {run[0]:,} GPUs", "a division by zero", cause) from None


check(
    _batch_of(64, 4e6, _c, 22.4, 2048),
    7_340_032,
    unit="tokens",
    what="64 GPUs, 22.4 s",
    mistakes={
        "these are not whole sequences on each GPU": _exact,
        "whole sequences, but not equally many on each GPU": _exact // 2048 * 2048,
        "these are the tokens of one GPU": 56 * 2048,
        "these are the sequences of one GPU; asked for are tokens, of all": 56,
        "these are sequences; asked for are tokens": 56 * 64,
        "this keeps to the critical batch; with more GPUs than N_half a larger one is faster": 30 * _each,
        "this is the critical batch, rounded up; with more GPUs than N_half a larger one is faster": 31 * _each,
        "this is the critical batch; the best one depends on the GPUs and the network": 4e6,
        "the number of GPUs is missing under the root": 7 * _each,
        "the number of GPUs stands under the root, not before it": _exact * 8 // _each * _each,
        "the ratio under the root is upside down: slow communication asks for large batches": _each,
        "here computation takes as long as communication: best if that were hidden": 104 * _each,
        "rounding up is slower here": 57 * _each,
    },
)
check(
    _batch_of(25_000, 4e6, _c, 0.56, 2048),
    51_200_000,
    unit="tokens",
    what="25 000 GPUs, 0.56 s",
    mistakes={
        "each GPU has at least one sequence": 0,
        "these are not whole sequences on each GPU: each has at least one": np.sqrt(25_000 * 4e6 * 0.56 / _c),
    },
)
check(
    _batch_of(2400, 4e6, _c, 0.56, 2048),
    9_830_400,
    unit="tokens",
    what="2400 GPUs, 0.56 s",
    mistakes={
        "two sequences a GPU are a little faster, though 1.46 is nearer to one: compare the times, with cB/N seconds "
        "of computation in a step, not cB": 2400 * 2048,
        "these are not whole sequences on each GPU": np.sqrt(2400 * 4e6 * 0.56 / _c),
    },
)

# %% tests="best_batch_properties" points=1
# Checked when you are graded: one sequence fewer or more on each GPU is never faster; units; one GPU.
### BEGIN HIDDEN TESTS
check(_batch_of(2, 9000, 0.001, 0.5, 100), 3000, unit="tokens", what="the example of the text")


def _check_fastest(found, num_gpus, critical_batch, per_token, overhead, length):
    """Check that the batch can be run, and that one sequence fewer or more on each GPU is not faster."""
    one_each = num_gpus * length
    wanted = f"the fastest batch: {num_gpus} GPUs, critical batch {critical_batch:,.0f}, {length} tokens a sequence"
    try:
        batch = float(found)
    except (TypeError, ValueError):
        raise WrongAnswer(wanted, described(found)) from None
    if not (batch >= one_each and batch % one_each == 0):
        raise WrongAnswer(wanted, described(found), f"not a multiple of {one_each:,} tokens, one sequence on each GPU")

    def time(batch):
        return (1 + critical_batch / batch) * (per_token * batch / num_gpus + overhead)

    for other, name in ((batch - one_each, "fewer"), (batch + one_each, "more")):
        if other and time(other) < time(batch):
            raise WrongAnswer(wanted, described(found), f"one sequence {name} on each GPU is faster")
    print(f"right: {batch:,.0f} tokens, {wanted}")


for _run in (
    (1, 4e6, _c, 22.4, 2048),
    (3, 5e4, 1e-3, 0.7, 300),
    (1000, 4e6, _c, 0.56, 2048),
    (5000, 4e6, _c, 1.3, 2048),
    (7, 1e6, 2e-4, 0.01, 8192),
    (100, 3e7, 1e-5, 0.09, 4096),
):
    _check_fastest(_batch_of(*_run), *_run)
_milliseconds = _batch_of(48, 4e6, 1000 * _c, 1000 * 22.4, 2048)
check(_batch_of(48, 4e6, _c, 22.4, 2048), float(_milliseconds), unit="tokens", what="times in ms in place of s")
### END HIDDEN TESTS

# %% [markdown]
r"""
**The useful range.** What keeps a run from using fewer GPUs, or more?

* *Memory*, from below: with fewer than some $N$ the model does not fit (exercise 8.4). ZeRO-1 sends no more than DDP.
* *Time*, from below: with few GPUs nobody waits for the end.
* $N_{1/2}$, from above, and softly: beyond it more than half of each step is waiting, and more than half of the
  tokens are wasted.
* *Sequences*, from above: each GPU runs at least one, so that a batch of at most $B_\text{crit}$ feeds no more than
  $B_\text{crit}/s$ GPUs; more of them force a larger one. At $N_{1/2}$ a GPU computes for $t$ seconds, so this limit
  comes first where one sequence takes longer than the communication, $c\,s > t$. As no step is shorter than $t +
  c\,s$, the floor is really $(t + c\,s)\,S_{\min}$.
"""

# %%
num_layers, width, heads, vocabulary = 32, 4096, 32, 32_000  # of the 7-billion model of lesson 08
beside = memory.logit_bytes(sequence_length, vocabulary)  # one sequence on a GPU; its attention is not kept
beside += num_layers * memory.activation_bytes(1, sequence_length, width, heads, "selective")
needed = [memory.model_state_bytes(7e9, 1, n).total + beside for n in (1, 2, 4)]
print("ZeRO-1 and one sequence, on 1, 2 and 4 GPUs:", *(f"{held / 1e9:.1f}" for held in needed), "GB")
print(f"a sequence for each GPU in a critical batch: {critical_batch / sequence_length:,.0f} GPUs")
for name, step_overhead in overheads.items():
    half = seconds_per_token * critical_batch / step_overhead
    each = critical_batch / half / sequence_length
    floor = (step_overhead + seconds_per_token * sequence_length) * min_steps / 3600
    print(f"{name:9s}: N_half {half:6.1f} GPUs, with {each:.1f} sequences each; floor {floor:.1f} hours")

# %%
gpus = np.geomspace(2, 4096, 200)
least = seconds_per_token * min_tokens / 3600
fig, panels = plt.subplots(1, 2, figsize=(9, 3.8))
for step_overhead, color in zip(overheads.values(), ("C0", "C1"), strict=True):
    half, floor = seconds_per_token * critical_batch / step_overhead, step_overhead * min_steps / 3600
    hours = (np.sqrt(least / gpus) + np.sqrt(floor)) ** 2
    panels[0].loglog(gpus, hours, color=color)
    panels[0].axhline(floor, color=color, lw=1, ls=":")
    x, side = (2, "left") if color == "C0" else (4096, "right")
    panels[0].text(x, floor * 0.9, f"floor, {floor:.3g} hours", color=color, va="top", ha=side)
    panels[1].loglog(gpus, gpus * hours, color=color)
    for axes, y, place in ((panels[0], 4 * floor, (4, 6)), (panels[1], 4 * least, (5, -11))):
        axes.plot(half, y, "o", color=color)
        axes.annotate("$N_{1/2}$", (half, y), place, textcoords="offset points", color=color)
panels[1].text(130, 1.5e5, "1.25 GB/s", color="C1", ha="right")
panels[1].text(110, 5.1e3, "50 GB/s", color="C0")
panels[0].loglog(gpus, least / gpus, "k:", lw=1)
panels[0].text(40, least / 40 * 0.7, "perfect scaling", ha="right", va="top")
panels[1].axhline(least, color="k", lw=1, ls=":")
panels[1].text(2, least * 0.95, "least cost", va="top")
panels[0].set(ylabel="time of the run (hours)", ylim=(2, 5e3))
panels[1].set(ylabel="cost of the run (GPU-hours)", ylim=(2.5e3, 1.5e6))
for axes in panels:
    axes.set_xlabel("GPUs")
    axes.set_xticks([2, 8, 32, 128, 512, 2048], labels=[2, 8, 32, 128, 512, 2048])
    axes.minorticks_off()
fig.tight_layout()

# %%
print("GPUs   hours: 50 GB/s   1.25 GB/s   GPU-hours: 50 GB/s   1.25 GB/s")
for n in (8, 64, 512, 2048):
    hours = [(math.sqrt(least / n) + math.sqrt(t * min_steps / 3600)) ** 2 for t in overheads.values()]
    print(f"{n:4d} {hours[0]:16.1f} {hours[1]:11.1f} {n * hours[0]:20,.0f} {n * hours[1]:11,.0f}")

# %% [markdown]
r"""
**What you see.** (Figure and table follow the formula, which lets a GPU have a part of a sequence; with whole ones
the floors are the 7.5 and 219.9 hours printed above, and past 1953 GPUs a batch is above the critical one.) Memory
asks for two GPUs of 80 GB, full to the brim; the sequences would do for almost 2000. In between the network decides.
On the fast one 64 GPUs, a twelfth of $N_{1/2}$, still cost 1.7 times the least; on the slow one the same 64 cost
eight times it, and eight times as many GPUs save less than half of the hours. Left of its dot, one per cent more GPUs
saves more than half a per cent of the time and adds less than half a per cent to the cost; right of it, the other way
round.

**Try it.** The demo has the same formula, with a price. It asks its question first; it begins with a network of 12.5
GB/s, which lies between the two above. Predict, then change the network, and after it the critical batch.
"""

# %%
demos.planner()

# %% [markdown]
r"""
**You should have seen** the dashed line of perfect scaling and the dotted floor cross at the edge of the green area:
at $N_{1/2}$ the work of one GPU, shared, has come down to the floor. The network moves that point and the floor; the
critical batch moves both as much as the network does; tokens a parameter move the floor, but not the point.

So far $c$ and $E_{\min}$ were given. Where do they come from, before anything has been run? From the number of
parameters and the number of tokens: that is the next section.
"""

# %% [markdown]
r"""
## 10.4 What does a run compute?

How much work is a whole run? The unit is a **FLOP**, one floating-point operation, an addition or a multiplication;
FLOPs are many of them, and FLOP/s is a speed. One rule needs only two numbers, parameters and tokens.

| symbol | in code | meaning | unit |
|---|---|---|---|
| $\Psi$ | `num_params` | parameters of the model (most papers: $N$) | – |
| $D$ | `tokens` | tokens of the whole training | tokens |
| $C$ | `flops` | operations of the whole training | FLOPs |
| $L$ | `loss` | loss of the trained model | nats a token |

**Smallest case.** A layer with $\Psi$ weights multiplies the numbers of one token by its weight matrix.

1. *Forward*: each weight is multiplied by one number, and the result is added to a sum. Two operations a weight.
2. *Backward, for the weights*: the gradient of each weight is the number that it was multiplied by, times the
   derivative at the output, added up over the tokens. Two more.
3. *Backward, for the layer's input*, which the layer below needs: each weight times the derivative at the output,
   added up over the outputs. Two more.

Six operations for each weight and token, $\Psi$ weights, $D$ tokens:

$$
C \approx 6\,\Psi D , \qquad \text{of which the forward pass is } 2\,\Psi D
$$

(Kaplan et al. 2020, section 2.1).

Lesson 08 let PyTorch count operations. Here the shapes of the matrices are enough: a network of three layers, 50
tokens, forward and backward pass by hand.
"""

# %%
operations = []


def product(left, right):
    """Return left @ right, and note its operations: two for each pair of numbers that is multiplied."""
    operations.append(2 * left.shape[0] * left.shape[1] * right.shape[1])
    return left @ right


def loss_and_gradients(weights, inputs):
    """Return half the sum of squares of a network's outputs, and its derivatives with respect to the weights."""
    kept, gradients = [inputs], []
    for weight in weights:
        kept.append(np.maximum(product(kept[-1], weight), 0))
    slope = kept[-1]
    for weight, before, after in zip(weights[::-1], kept[-2::-1], kept[:0:-1], strict=True):
        slope = slope * (after > 0)
        gradients.insert(0, product(before.T, slope))
        slope = product(slope, weight.T)
    return (kept[-1] ** 2).sum() / 2, gradients


# %%
rng = np.random.default_rng(0)
weights = [rng.normal(size=shape) / 8 for shape in ((16, 64), (64, 64), (64, 16))]
inputs = rng.normal(size=(50, 16))
loss, gradients = loss_and_gradients(weights, inputs)
forward, backward = sum(operations[:3]), sum(operations[3:])
pairs = sum(weight.size for weight in weights) * len(inputs)
print(f"operations a weight and token: forward {forward / pairs:.0f}, backward {backward / pairs:.0f}")

weights[0][5, 7] += 1e-6
quotient = (loss_and_gradients(weights, inputs)[0] - loss) / 1e-6
print(f"derivative of one weight: {gradients[0][5, 7]:.5f}, by difference quotient {quotient:.5f}")

# %% [markdown]
r"""
**What you see.** Two and four, and the products that were counted do give the derivatives. (The ReLU and the sums
over a handful of numbers are left out, as is usual: they are few. The product for the input of the lowest layer is
counted, though nothing needs it.) $\Psi$ are the weights that *multiply*: a table of word vectors, in which tokens
are only looked up, does not count, the matrix before the softmax does.

Attention multiplies without weights, queries by keys and the result by values. A layer of the usual shape has four
matrices $h \times h$, one $h \times 4h$ and one $4h \times h$, in all $12h^2$ weights. How much does attention add?
"""


# %%
def count(shapes):
    """Return the operations of products of (rows, inner) by (inner, columns) matrices."""
    return sum(2 * rows * inner * columns for rows, inner, columns in shapes)


print("length s   width h   attention / weights   s / 6h")
for s, h in ((2048, 4096), (8192, 4096), (8192, 8192), (131_072, 8192)):
    with_weights = count([(s, h, h)] * 4 + [(s, h, 4 * h), (s, 4 * h, h)])
    attention = count([(s, h, s), (s, s, h)])  # all heads together
    print(f"{s:8,} {h:9,} {attention / with_weights:16.1%} {s / (6 * h):14.1%}")

# %% [markdown]
r"""
**What you see.** Attention adds $s/(6h)$, forward and backward alike: 8 % in LLaMA-7B with its 2048 tokens, a third
with 8192. (With a causal mask half of that is needed, and good kernels skip the other half.) So the rule is good as
long as sequences are short compared with $6h$.

Two more conventions. With full recomputation (lesson 08) the hardware performs a second forward pass, $8\,\Psi D$ in
all; but the run *is* no larger for it, and $C$ stays $6\,\Psi D$. And no GPU reaches its peak. **Model FLOPs
utilisation** (MFU, Chowdhery et al. 2022, who count attention, too) is $C$ divided by what all GPUs could have
computed at their peak in the time. An example with published numbers: LLaMA-65B, on 2048 A100 with a peak of 312
TFLOP/s, processed 380 tokens a second and GPU (Touvron et al. 2023, section 2.4).
"""

# %%
num_params, tokens, num_gpus, speed = 65.2e9, 1.4e12, 2048, 380
print(f"MFU {6 * num_params * speed / 312e12:.1%}")
print(f"{tokens / (num_gpus * speed) / 86_400:.1f} days, {tokens / speed / 3600:,.0f} GPU-hours")

# %% [markdown]
r"""
**What you see.** Nearly half of the peak, which is good; 40 % is a sensible assumption for a plan. The paper reports
21 days and 1 022 362 GPU-hours.

The series from section 10.2 prints, for three models with 20 tokens a parameter:

| parameters | tokens | FLOPs, as printed |
|---|---|---|
| 1 billion | 20 billion | $2\cdot10^{21}$ |
| 7 billion | 140 billion | $10^{23}$ |
| 70 billion | 1.4 trillion ($1.4\cdot10^{12}$) | $10^{25}$ |

and it lets 4 million tokens a second pass through the last of these, in about 4 days. Which of these four statements
hold? Write the function that tells.

## Exercise 10.4: `flops_and_days` (2 points, 6 minutes, warm-up)

- `num_params`, `tokens`: $\Psi$ and $D$
- `num_gpus`; `peak_flops`: peak of one GPU in FLOP/s; `utilisation`: MFU, a share above 0 and at most 1
- returns `(flops, days)`: the operations of the model in the whole run, and the days of 24 hours that all GPUs take
  together
- for a billion parameters and a billion tokens on one GPU of 100 TFLOP/s, at 0.5: `(6e18, 1.3889)`
- raises `ValueError` where `utilisation` is no such share, such as 40 for 40 %

<details><summary>Hint 1 (click to open): from operations to days?</summary>

How many operations does one GPU really perform in a second? And all of them in a day?
</details>

<details><summary>Hint 2 (click to open): in code</summary>

Check `0 < utilisation <= 1` first. Then divide `6 * num_params * tokens` by the number of GPUs, by what each performs
in a second, and by the seconds of a day.
</details>
"""


# %% solution="flops_and_days"
def flops_and_days(num_params, tokens, num_gpus, peak_flops, utilisation):
    """Return the floating-point operations of a training run, and the days that it takes."""
    ### BEGIN SOLUTION
    if not 0 < utilisation <= 1:
        raise ValueError(f"utilisation is a share above 0 and at most 1, not {utilisation}")
    flops = 6 * num_params * tokens
    return flops, flops / (num_gpus * peak_flops * utilisation) / 86_400
    ### END SOLUTION


# %% tests="flops_and_days_by_hand" points=1
# 7 billion parameters and 140 billion tokens, on 64 GPUs with a peak of 989 TFLOP/s, at 40 % of it.
_flops, _days = 5.88e21, 2.687987
_times = {
    "this is the forward pass alone; the backward pass takes twice as much again": 2 / 6,
    "this is the backward pass alone": 4 / 6,
    "this counts the second forward pass of recomputation, which is the hardware's, not the model's": 8 / 6,
    "a multiplication and an addition are two operations": 3 / 6,
    "each weight and token meet in six operations, not in one": 1 / 6,
    "this is what the series prints, 17 times too much": 1e23 / 5.88e21,
    "the utilisation tells how fast the operations are done, not how many they are": 0.4,
    "these are the operations that the GPUs could have done at their peak; asked for are the model's": 1 / 0.4,
}
check(
    flops_and_days(7e9, 140e9, 64, 989e12, 0.4),
    [_flops, _days],
    rtol=1e-4,
    what="FLOPs and days of 7 billion parameters, 140 billion tokens, 64 GPUs",
    mistakes={
        **{cause: [_flops * factor, _days * factor] for cause, factor in _times.items()},
        "the days are right; but the model's operations do not depend on the utilisation": [_flops / 0.4, _days],
        "these are days and FLOPs; asked for are FLOPs and days": [_days, _flops],
        "the time is in seconds; a day has 86 400": [_flops, _days * 86_400],
        "the time is in hours; a day has 24": [_flops, _days * 24],
        "these are GPU-days: 64 GPUs share the work": [_flops, _days * 64],
        "at 40 % of the peak it takes longer than at the peak, not less time": [_flops, _days * 0.16],
        "this is the time at the peak; the GPUs reach 40 % of it": [_flops, _days * 0.4],
        "the utilisation is used twice": [_flops, _days / 0.4],
        "this is the time of the forward pass alone": [_flops, _days / 3],
        "the time has the second forward pass of recomputation in it; the utilisation of *model* FLOPs has it already": [
            _flops,
            _days * 8 / 6,
        ],
    },
)
check_raises(ValueError, flops_and_days, 7e9, 140e9, 64, 989e12, 40, because="40 is no share; 40 % is 0.4")
try:
    _at_the_peak = flops_and_days(1e9, 1e9, 1, 1e14, 1)
except ValueError as _error:
    raise WrongAnswer("FLOPs and days at the peak itself", f"ValueError: {_error}", "a share of 1 is allowed") from None
check(_at_the_peak, [6e18, 0.694444], rtol=1e-4, what="FLOPs and days at the peak itself, a utilisation of 1")

# %% tests="flops_and_days_properties" points=1
# Checked when you are graded: other runs; twice the GPUs, half the days; the peak itself; impossible shares.
### BEGIN HIDDEN TESTS
check(flops_and_days(1e9, 1e9, 1, 1e14, 0.5), [6e18, 1.388889], rtol=1e-4, what="the small example")
check(
    flops_and_days(65.2e9, 1.4e12, 2048, 312e12, 0.476),
    [5.4768e23, 20.8406],
    rtol=1e-4,
    what="LLaMA-65B",
)
_once, _twice = flops_and_days(3e9, 5e10, 100, 2e14, 0.3), flops_and_days(3e9, 5e10, 200, 2e14, 0.3)
check(float(_twice[1]) / float(_once[1]), 0.5, what="days on twice the GPUs, a share of those before")
check(float(_twice[0]) / float(_once[0]), 1, what="operations on twice the GPUs, a share of those before")
check(flops_and_days(2e9, 3e9, 10, 1e14, 1)[1], 3.6e19 / 1e15 / 86_400, rtol=1e-4, unit="days", what="at the peak")
check(flops_and_days(10**9, 10**9, 8, 10**14, 1)[0], 6e18, unit="FLOPs", what="whole numbers")
for _share in (0, -0.4, 1.01, 40):
    check_raises(ValueError, flops_and_days, 7e9, 1e9, 64, 1e14, _share, because=f"{_share} is no such share")
### END HIDDEN TESTS

# %%
from largebatch.compute_law import training_flops

printed = {
    "series": {(1e9, 20e9): 2e21, (7e9, 140e9): 1e23, (70e9, 1.4e12): 1e25},
    "Hoffmann et al.": {(1e9, 20.2e9): 1.21e20, (67e9, 1.5e12): 5.76e23},
}
print("printed by       parameters   tokens    printed       6ΨD   printed / 6ΨD   GPU-days, H100 at 40 %")
for source, rows in printed.items():
    for (num_params, tokens), number in rows.items():
        flops = training_flops(num_params, tokens)
        gpu_days = flops / (989e12 * 0.4 * 86_400)
        print(f"{source:16s} {num_params:10.1e} {tokens:8.3g} {number:10.3g} {flops:9.3g}", end="")
        print(f" {number / flops:15.2f} {gpu_days:20,.0f}")

# %% [markdown]
r"""
**What you see.** All three are about 17 times too large. A published table settles it: table 3 of Hoffmann et al.
(2022), with whom the 20 tokens a parameter began, follows the rule. (In its last row 67 billion and 1.5 trillion are
rounded, which makes the product a little larger.)

And the four days?
"""

# %%
seconds = 1.4e12 / 4e6
needed = training_flops(70e9, 1.4e12) / seconds
print(f"{seconds:,.0f} s = {seconds / 86_400:.2f} days, at {needed:.3g} FLOP/s")
for name, peak in {"A100": 312e12, "H100": 989e12}.items():
    num_gpus = needed / (0.4 * peak)
    print(f"{num_gpus:6,.0f} {name} at 40 % of {peak / 1e12:.0f} TFLOP/s; ", end="")
    print(f"of a batch of 4 million tokens each has {4e6 / num_gpus:.0f}")

# %% [markdown]
r"""
**What you see.** Four days is right, *if* 4 million tokens a second are. That speed is what some 13 500 A100 or 4 250
H100 reach together. With a batch of 4 million tokens each of them would have less than one sequence of 2048, the
least that section 10.3 allows for: the four days need other kinds of parallelism, or a larger batch.

So six times parameters times tokens is the bill. How should one budget be split between the two?

## 10.5 How large a model?

The same $C = 6\,\Psi D$ buys a large model that sees few tokens, or a small one that sees many. Which ends at the
lower loss? Hoffmann et al. (2022) trained more than 400 models and described their loss, in nats a token, by a sum of
three parts:

$$
L(\Psi, D) = E + \frac{a}{\Psi^{\alpha}} + \frac{b}{D^{\beta}} .
$$

$E$ is what no model gets rid of: text is not fully predictable. The second part is the price of a model that is too
small, the third of too little data. (The paper writes $N$ for $\Psi$, $A$ and $B$ for $a$ and $b$; here $B$ is the
batch.) We take two published fits to these runs, their own and a refit to points read off their figures (Besiroglu et
al. 2024). What do they say about Chinchilla, the paper's own model with 70 billion parameters and 1.4 trillion
tokens?
"""


# %%
@dataclass(frozen=True)
class LossLaw:
    """The loss of a trained model, in nats a token."""

    irreducible: float  # E
    params_scale: float  # a
    tokens_scale: float  # b
    params_exponent: float  # α
    tokens_exponent: float  # β

    def loss(self, num_params, tokens):
        """Return the loss; numbers or arrays."""
        too_small = self.params_scale / num_params**self.params_exponent
        return self.irreducible + too_small + self.tokens_scale / tokens**self.tokens_exponent


HOFFMANN = LossLaw(1.69, 406.4, 410.7, 0.34, 0.28)  # as published
BESIROGLU = LossLaw(1.82, 482, 2085, 0.348, 0.366)  # the refit

# %%
print("Chinchilla    E    + too small + too little data = loss (nats)")
for law, name in ((HOFFMANN, "Hoffmann"), (BESIROGLU, "refit")):
    too_small = law.params_scale / 70e9**law.params_exponent
    too_little = law.tokens_scale / 1.4e12**law.tokens_exponent
    print(f"{name:11s} {law.irreducible:.2f} {too_small:10.3f} {too_little:14.3f} {law.loss(70e9, 1.4e12):16.3f}")

# %% [markdown]
r"""
**What you see.** The two fits differ by 0.04 nats. But by the first, too little data costs twice as much as too small
a model; by the second, both cost about the same. Before you run the next cell: by how much is the loss worse, do you
think, if the model is half as large as would be best, at the same budget?
"""

# %%
budgets = {1e20: "$10^{20}$", 1e21: "$10^{21}$", 1e22: "$10^{22}$", 5.76e23: r"$5.76\cdot 10^{23}$"}
sizes = np.geomspace(1e7, 1e13, 3001)
fig, panels = plt.subplots(1, 2, figsize=(9, 3.6))
for flops, label in budgets.items():
    losses = BESIROGLU.loss(sizes, flops / 6 / sizes)
    best = sizes[losses.argmin()]
    (line,) = panels[0].semilogx(sizes, losses)
    panels[0].plot(best, losses.min(), "o", color=line.get_color())
    panels[0].text(best, losses.min() + 0.04, label, ha="center", color=line.get_color())
for law, colour, name, side in ((HOFFMANN, "C1", "Hoffmann et al.", "right"), (BESIROGLU, "C0", "refit", "left")):
    losses = law.loss(sizes, flops / 6 / sizes)  # of the last budget
    best = sizes[losses.argmin()]
    panels[1].semilogx(sizes, losses - losses.min(), color=colour)
    label = f"{name}:\n{best / 1e9:.0f} billion,\n{flops / 6 / best**2:.0f} tokens each"
    panels[1].text(best, -0.002, label, color=colour, va="top", ha=side, fontsize=10)
panels[0].set(title="FLOPs of a run, refit", xlabel="parameters", ylabel="loss (nats)", ylim=(1.8, 3.2))
panels[1].set(title=r"$5.76\cdot 10^{23}$ FLOPs, both fits", xlabel="parameters", xlim=(1e9, 3e12))
panels[1].set(ylabel="loss above its minimum (nats)", ylim=(-0.016, 0.04), yticks=[0, 0.01, 0.02, 0.03, 0.04])
fig.tight_layout()

# %% [markdown]
r"""
**What you see.** Each budget has its best size, and it grows with the budget. The valley is wide: on the left, half
or twice the best size makes hardly any difference that one could see, and on the right it is half a hundredth of a
nat. Both fits say so. Where the bottom lies they do not agree about: 32 billion parameters and 93 tokens for each, or
72 billion and 18. The next steps find the bottom without a plot.

Walk along one of these curves. A model larger by a small share, $\Psi(1+\varepsilon)$, sees fewer tokens by the same
share, $D(1-\varepsilon)$, since the product is fixed.

1. $\Psi^{-\alpha}$ becomes $\Psi^{-\alpha}(1+\varepsilon)^{-\alpha} \approx \Psi^{-\alpha}(1-\alpha\varepsilon)$, and
   $D^{-\beta}$ becomes $D^{-\beta}(1+\beta\varepsilon)$.
2. So the loss changes by $\varepsilon\,\big({-\alpha a\Psi^{-\alpha}} + \beta b D^{-\beta}\big)$.
3. At the bottom no small step helps, in either direction. The bracket must be 0:

$$
\alpha\,a\,\Psi^{-\alpha} = \beta\,b\,D^{-\beta} .
$$

One percent more parameters would lower the loss by as much as one percent more tokens.
"""

# %%
print("by search    FLOPs   parameters αa / Ψ^α   βb / D^β")
for law, name in ((HOFFMANN, "Hoffmann"), (BESIROGLU, "refit")):
    for flops in (1e20, 5.76e23):
        fine = np.geomspace(1e7, 1e13, 1_000_001)
        best = fine[law.loss(fine, flops / 6 / fine).argmin()]
        sides = (
            law.params_exponent * law.params_scale * best**-law.params_exponent,
            law.tokens_exponent * law.tokens_scale * (flops / 6 / best) ** -law.tokens_exponent,
        )
        print(f"{name:9s} {flops:8.3g} {best:12.4g} {sides[0]:10.6f} {sides[1]:10.6f}")

# %% [markdown]
r"""
**What you see.** Equal, at every bottom that a search finds.

## Exercise 10.5: `compute_optimal` (2 points, 12 minutes, core)

Return the model of least loss that a budget can train.

- `flops`: $C = 6\,\Psi D$ of the whole run; `law`: a `LossLaw`, with `law.irreducible` $E$, `law.params_scale` $a$,
  `law.tokens_scale` $b$, `law.params_exponent` $\alpha$, `law.tokens_exponent` $\beta$, and `law.loss(num_params,
  tokens)`
- returns `(num_params, tokens)`, not rounded; within 1 % is right
- any law, with any positive numbers; budgets from 600 to $10^{27}$ FLOPs. Sizes from 1 to $10^{18}$ must be found
- `compute_optimal(600, LossLaw(1.0, 2.0, 1.0, 0.5, 0.5))` is `(20, 5)`: then $2/\sqrt{20} = 1/\sqrt5$

<details><summary>Hint 1 (click to open): two equations, two unknowns</summary>

$\Psi D = C/6$, and the condition above. Put $D = C/(6\Psi)$ into the condition: powers of $\Psi$ on one side, powers
of $C/6$ on the other. (A search over sizes is right, too, if it is fine and wide enough.)
</details>

<details><summary>Hint 2 (click to open): the last step</summary>

$\Psi^{\alpha+\beta} = \dfrac{\alpha a}{\beta b}\left(\dfrac{C}{6}\right)^{\beta}$. Take the root, then $D =
C/(6\Psi)$.
</details>
"""


# %% solution="compute_optimal"
def compute_optimal(flops, law):
    """Return the parameters and the tokens of least loss for so many training FLOPs."""
    ### BEGIN SOLUTION
    alpha, beta = law.params_exponent, law.tokens_exponent
    ratio = alpha * law.params_scale / (beta * law.tokens_scale)
    num_params = (ratio * (flops / 6) ** beta) ** (1 / (alpha + beta))
    return num_params, flops / 6 / num_params
    ### END SOLUTION


# %% tests="compute_optimal_by_hand" points=1
# The budget of Chinchilla, 5.76e23 FLOPs, with both fits; then the small example.
for _law, _name, _right, _mistakes in (
    (
        BESIROGLU,
        "refit",
        [7.2329e10, 1.3273e12],
        {
            "the powers are swapped: the model grows with the power β / (α + β)": [1.9052e10, 5.0390e12],
            "α and β are swapped everywhere": [2.1942e10, 4.3751e12],
            "the ratio is upside down: it is αa / (βb)": [5.0390e12, 1.9052e10],
            "α and β are missing from the ratio; this makes the two parts equal": [7.7623e10, 1.2368e12],
            "α and β are swapped in the ratio": [8.3304e10, 1.1524e12],
            "the ratio is not under the root": [1.3270e11, 7.2344e11],
            "the root of the ratio is the (α + β)-th": [7.7649e9, 1.2363e13],
            "20 tokens a parameter is a rule of thumb; by this law it is another number": [6.9282e10, 1.3856e12],
            "parameters and tokens are alike only if both parts of the law are": [3.0984e11, 3.0984e11],
            "both grow with the square root only if α equals β": [3.7121e10, 2.5861e12],
            "the 6 is missing: C = 6ΨD": [1.8122e11, 3.1785e12],
            "the tokens are C / (6Ψ)": [7.2329e10, 7.9636e12],
            "the 6 is missing from the size, though not from the tokens": [1.8122e11, 5.2975e11],
            "this spends the whole budget on forward passes: C = 6ΨD": [1.2702e11, 2.2673e12],
            "these are the constants of Hoffmann et al.; use those of law": [3.2190e10, 2.9823e12],
            "these are tokens, parameters; asked for are parameters, tokens": [1.3273e12, 7.2329e10],
            "these are billions; asked for are numbers": [72.329, 1327.3],
        },
    ),
    (
        HOFFMANN,
        "Hoffmann et al.",
        [3.2190e10, 2.9823e12],
        {
            "these are the constants of the refit; use those of law": [7.2329e10, 1.3273e12],
            "20 tokens a parameter is a rule of thumb; by this law it is another number": [6.9282e10, 1.3856e12],
        },
    ),
):
    check(
        compute_optimal(5.76e23, _law),
        _right,
        rtol=0.01,
        what=f"parameters, tokens for 5.76e23 FLOPs, {_name}",
        mistakes=_mistakes,
    )
_small = LossLaw(1.0, 2.0, 1.0, 0.5, 0.5)
check(
    compute_optimal(600, _small),
    [20, 5],
    rtol=0.01,
    what="parameters, tokens of the small example",
    mistakes={
        f"the search begins at {_start:.0e} parameters and ends there; the best size is smaller": [_start, 100 / _start]
        for _start in 10.0 ** np.arange(2, 13)
    },
)

# %% tests="compute_optimal_is_least" points=1
# Checked when you are graded: the budget is used up, and one percent more of either gains as much; any law and budget.
### BEGIN HIDDEN TESTS
for _law in (BESIROGLU, HOFFMANN, LossLaw(0.0, 7.0, 300.0, 0.2, 0.6), LossLaw(2.0, 900.0, 5.0, 0.7, 0.25)):
    for _flops in (6e4, 1e19, 1e27):  # 6e4: from there on no law is best with a part of a parameter or token
        _params, _tokens = (float(number) for number in compute_optimal(_flops, _law))
        _gains = (
            _law.params_exponent * _law.params_scale * _params**-_law.params_exponent,
            _law.tokens_exponent * _law.tokens_scale * _tokens**-_law.tokens_exponent,
        )
        check(
            [6 * _params * _tokens / _flops, _gains[0] / _gains[1]],
            [1.0, 1.0],
            rtol=0.02,
            what=f"share of the budget used, gain of more parameters / gain of more tokens; {_flops:.0e} FLOPs, {_law}",
        )
### END HIDDEN TESTS

# %% [markdown]
r"""
Solved, with $G = \left(\dfrac{\alpha a}{\beta b}\right)^{1/(\alpha+\beta)}$:

$$
\Psi_\text{opt} = G\left(\frac{C}{6}\right)^{\beta/(\alpha+\beta)}, \qquad
D_\text{opt} = \frac1G\left(\frac{C}{6}\right)^{\alpha/(\alpha+\beta)} .
$$

And from the side of the loss: with a reducible part $R = L - E$, the condition shares it out. From $\alpha x = \beta
y$ and $x + y = R$ follow $x = a\Psi^{-\alpha} = \frac{\beta}{\alpha+\beta}R$ and $y = bD^{-\beta} =
\frac{\alpha}{\alpha+\beta}R$. So $\Psi \propto R^{-1/\alpha}$, $D \propto R^{-1/\beta}$, the cheapest run has $C
\propto R^{-1/\alpha - 1/\beta}$, and the other way round

$$
L - E \propto C^{-\gamma}, \qquad \gamma = \frac{\alpha\beta}{\alpha+\beta} .
$$

From here on `LossLaw` and the two fits are those of the package, `largebatch.compute_law`. They have two methods
more: `optimal`, which does what you have just written, and `tokens_for`, which comes below. The next cells check
`optimal`, the formula and the way back from the loss against one another.
"""


# %%
def cheapest_run(loss, law):
    """Return the parameters and the tokens that reach a loss with the fewest FLOPs."""
    alpha, beta, reducible = law.params_exponent, law.tokens_exponent, loss - law.irreducible
    num_params = (law.params_scale * (alpha + beta) / (beta * reducible)) ** (1 / alpha)
    return num_params, (law.tokens_scale * (alpha + beta) / (alpha * reducible)) ** (1 / beta)


# %%
from largebatch.compute_law import BESIROGLU, HOFFMANN, LossLaw

print("   FLOPs   parameters     tokens   tokens a parameter   loss   back from the loss: FLOPs")
for law, name in ((HOFFMANN, "Hoffmann"), (BESIROGLU, "refit")):
    alpha, beta = law.params_exponent, law.tokens_exponent
    powers = beta / (alpha + beta), alpha / (alpha + beta), alpha * beta / (alpha + beta)
    print("{}: Ψ as C^{:.2f}, D as C^{:.2f}, L - E as C^-{:.3f}".format(name, *powers))
    scale = (alpha * law.params_scale / (beta * law.tokens_scale)) ** (1 / (alpha + beta))
    for flops in (1e20, 1e22, 5.76e23, 1e26):
        num_params, tokens = law.optimal(flops)
        assert math.isclose(num_params, scale * (flops / 6) ** powers[0])
        loss = law.loss(num_params, tokens)
        back = training_flops(*cheapest_run(loss, law))
        print(f"{flops:8.3g} {num_params:12.3g} {tokens:10.3g} {tokens / num_params:20.1f} {loss:6.3f} {back:27.3g}")

# %% [markdown]
r"""
**What you see.** Two fits to the same runs, and at Chinchilla's budget a factor of five apart in tokens a parameter,
less below it and more above. The paper's two other methods, which need no formula for the loss, found exponents of
0.50 and 0.49 for the model and about 20 tokens a parameter; so does the refit, and so was Chinchilla built. The
published constants contradict them. Besiroglu et al. name two reasons: the search for the constants had stopped too
early, and they were printed with too few digits. From here on we use the refit.

"20 tokens a parameter" is therefore the bottom of a valley for runs of some $10^{23}$ FLOPs. By the refit it hardly
depends on the budget, 23 at $10^{20}$ and 16 at $10^{26}$; by the other fit it goes from 40 to 153. And the valley is
wide. How wide? Fix the loss. A model of size $\Psi$ reaches it if it sees enough data; solved for $D$,

$$
D(\Psi) = \left(\frac{b}{L - E - a\Psi^{-\alpha}}\right)^{1/\beta} ,
$$

as long as what $b$ is divided by is positive. With $\Psi \le \big(a/(L-E)\big)^{1/\alpha}$ it is not, and no amount
of data is enough. (The method `tokens_for` of the laws does this.) Before you run it: a model half as large as the
best one; how many more tokens for the same loss, and how much more computation?
"""


# %%
best_params, best_tokens = BESIROGLU.optimal(5.76e23)
loss = BESIROGLU.loss(best_params, best_tokens)
reducible = loss - BESIROGLU.irreducible
smallest = (BESIROGLU.params_scale / reducible) ** (1 / BESIROGLU.params_exponent)
print(f"{loss:.3f} nats, {reducible:.3f} above E: no size below {smallest / best_params:.3f} of the best")
print("size / best size   same loss: tokens, computation   same computation: more loss (nats)")
for share in (0.2, 0.25, 0.5, 0.8, 1.0, 1.25, 2.0, 4.0):
    tokens = BESIROGLU.tokens_for(loss, share * best_params)
    assert math.isclose(BESIROGLU.loss(share * best_params, tokens), loss)
    longer = tokens / best_tokens
    more = BESIROGLU.loss(share * best_params, best_tokens / share) - loss
    print(f"{share:16.2f} {longer:19.2f} {share * longer:12.2f} {more:26.4f}")

# %% [markdown]
r"""
**What you see.** In nats the valley is flat; in money it is not quite. A model half as large reaches the same loss
with 2.5 times the tokens and 26 % more computation, one twice as large with 15 % more; at a quarter of the size it is
4.5 times. (These ratios are the same at every budget: only $\alpha$ and $\beta$ enter.) A nat is a large unit here.
All that is left above $E$ at this budget is 0.16.

Which published models were near the bottom?
"""

# %%
models = {
    "GPT-3": (175e9, 300e9),
    "Gopher": (280e9, 300e9),
    "Chinchilla": (70e9, 1.4e12),
    "LLaMA 65B": (65.2e9, 1.4e12),
    "Llama 2 7B": (7e9, 2e12),
}
print("             tokens a            cheapest, same loss        FLOPs / cheapest:")
print("             parameter   FLOPs   parameters    tokens       refit    Hoffmann")
for name, (num_params, tokens) in models.items():
    flops = training_flops(num_params, tokens)
    size, data = cheapest_run(BESIROGLU.loss(num_params, tokens), BESIROGLU)
    print(f"{name:11s} {tokens / num_params:10.2f} {flops:7.1e} {size:12.1e} {data:9.1e}", end="")
    for law in (BESIROGLU, HOFFMANN):
        cheapest = cheapest_run(law.loss(num_params, tokens), law)
        print(f"{flops / training_flops(*cheapest):12.2f}", end="")
    print()

# %% [markdown]
r"""
**What you see.** GPT-3 and Gopher, with fewer than two tokens a parameter, are the undertrained ones: by the refit,
models of a quarter and a sixth of their size would have reached the same loss, and they computed 1.64 and 2.01 times
as much as those would have. The series gives LLaMA 65B as its example of an undertrained model, and calls it
compute-optimal in the next line; at 21.5 tokens a parameter it is the latter. Llama 2 7B is far on the other side, 14
times the rule. Why would anybody do that? (Section 10.6.)

Two more lines of the series. "Loss $\propto C^{-\alpha}$, $\alpha \approx 0.05$ to $0.1$" mixes three exponents of
Kaplan et al. (2020): 0.050 for computation, 0.076 for parameters, 0.095 for data. Above an irreducible loss $E$,
which those laws do not have, the exponent of computation is the $\gamma$ printed above, 0.15 or 0.18. And these laws
do not tell from a run's first days where it will end: they were fitted to *finished* runs (section 10.8 has a test).

## 10.6 Who serves it?

A model is trained once. Then it answers, and every token that it reads or writes is one more forward pass through all
weights, $2\,\Psi$ operations. Over a lifetime with $D_\text{served}$ tokens,

$$
\text{total} = 6\,\Psi\,D(\Psi) + 2\,\Psi\,D_\text{served} ,
$$

where $D(\Psi)$ are the tokens that a model of this size needs to reach the loss which we want. Three candidates for a
loss of 2.0 nats: the one cheapest to train, one half as large, one a quarter as large. Before you run it: which one
is the cheapest after two trillion served tokens?
"""

# %%
best_params, _ = cheapest_run(2.0, BESIROGLU)
candidates = best_params / np.array([1, 2, 4])
needs = BESIROGLU.tokens_for(2.0, candidates)
smallest = (BESIROGLU.params_scale / (2.0 - BESIROGLU.irreducible)) ** (1 / BESIROGLU.params_exponent)
print(f"no size up to {smallest / 1e9:.1f} billion reaches 2.0 nats, with any number of tokens\n")
print("total, 10^21 FLOPs, after serving      0   2*10^12    10^14 tokens")
for num_params, tokens in zip(candidates, needs, strict=True):
    totals = [6 * num_params * tokens + 2 * num_params * served for served in (0, 2e12, 1e14)]
    print(f"{num_params / 1e9:4.1f} billion, {tokens / num_params:5.0f} tokens each", end="")
    print("".join(f"{total / 1e21:10.0f}" for total in totals))

# %% [markdown]
r"""
**What you see.** Each of the three wins a column. Whoever serves nothing trains the large one, and the more is
served, the smaller the best one is. But the last step was expensive: the quarter-sized model has to see 1340 tokens a
parameter, because it is not far above 7.1 billion, at which no number of tokens is enough.

**Break-even.** Two models reach the same loss, the larger $\Psi_1$ with $D_1$ tokens and the smaller $\Psi_2$ with
$D_2$. An operation costs $p$ dollars in training and $q$ in serving. After how many served tokens are the bills
equal?

1. $6\Psi_1D_1\,p + 2\Psi_1X\,q = 6\Psi_2D_2\,p + 2\Psi_2X\,q$
2. $2\,(\Psi_1-\Psi_2)\,X\,q = 6\,(\Psi_2D_2 - \Psi_1D_1)\,p$
3. $X = 3\,\dfrac pq\cdot\dfrac{\Psi_2D_2 - \Psi_1D_1}{\Psi_1-\Psi_2}$

**Prices.** A GPU is rented by the hour, so an operation costs its price divided by 3600 × peak × utilisation. The
utilisation is another one in serving. To write one token, a GPU reads every weight, 2 bytes, for 2 operations; an
H100, with 989 TFLOP/s and 3.35 TB/s (NVIDIA's data sheet), could do 295 operations in the time in which it reads a
byte. Only with hundreds of requests at once, or while it reads a long prompt, is it busy. We *assume* 40 % in
training and 8 % in serving, and 2.50 dollars an hour. Replace all three by your own.
"""


# %%
def dollars_per_flop(dollars_per_hour, peak_flops, utilisation):
    """Return the price of one operation."""
    return dollars_per_hour / (3600 * peak_flops * utilisation)


training_price, serving_price = (dollars_per_flop(2.5, 989e12, share) for share in (0.4, 0.08))
print(f"10^18 FLOPs cost {1e18 * training_price:.2f} dollars in training, {1e18 * serving_price:.2f} in serving")
print(f"operations in the time of a byte: {989e12 / 3.35e12:.0f}")

# %%
work = candidates * needs
print("break-even of the first two     tokens   share of the large one's training   ratio of the bills")
for price_ratio, what in ((1, "in FLOPs"), (training_price / serving_price, "in dollars")):
    equal = 3 * price_ratio * (work[1] - work[0]) / (candidates[0] - candidates[1])
    bills = 6 * work[:2] * price_ratio + 2 * candidates[:2] * equal
    print(f"{what:27s} {equal:10.3g} {equal / needs[0]:34.2f} {bills[1] / bills[0]:20.6f}")

# %% [markdown]
r"""
**What you see.** Counted in FLOPs, the half-sized model has paid for its longer training after one and a half times
as many tokens as the large one was trained on. In dollars, where an operation in serving is five times as dear, after
a third of them.

## Exercise 10.6: `cheapest_model` (2 points, 12 minutes, core)

Return the size of the model that costs least to train and to serve together.

- `target_loss` in nats; `served_tokens`: all that it will ever read and write; `law`: a `LossLaw`
- `training_price`, `serving_price`: dollars an operation, $p$ and $q$
- returns the number of parameters; within 1 % is right. Sizes from $10^6$ to $10^{13}$ must be found
- raises `ValueError` where no model can reach the loss, however large
- `law.tokens_for(loss, num_params)` is there to be used; it takes an array of sizes, too
- `cheapest_model(2.1, 0, BESIROGLU, 1, 1)` is $1.357\cdot10^{10}$: with nothing to serve, the size cheapest to train

<details><summary>Hint 1 (click to open): where to look?</summary>

There is no formula. Compute the bill for many sizes and take the size of the smallest bill. All sizes worth trying
are above the smallest one that reaches the loss, $\big(a/(L-E)\big)^{1/\alpha}$, and not above the size that is
cheapest to train: serving makes a smaller one better.
</details>

<details><summary>Hint 2 (click to open): in code</summary>

`sizes = np.geomspace(1e6, 1e13, 100_001)` is fine enough. `tokens_for` gives `inf` for sizes that are too small, and
so does the bill; `np.argmin` does not mind, and returns a place in the list. (A formula of your own may give `nan`
for sizes that are too small, the root of a negative number; at a `nan` `np.argmin` stops.)
</details>
"""


# %% solution="cheapest_model"
def cheapest_model(target_loss, served_tokens, law, training_price, serving_price):
    """Return the number of parameters for which training and serving together cost least."""
    ### BEGIN SOLUTION
    if target_loss <= law.irreducible:
        raise ValueError(f"no model gets below {law.irreducible} nats, so none reaches {target_loss}")
    sizes = np.geomspace(1e6, 1e13, 100_001)
    tokens = law.tokens_for(target_loss, sizes)
    dollars = 6 * sizes * tokens * training_price + 2 * sizes * served_tokens * serving_price
    return sizes[np.argmin(dollars)]
    ### END SOLUTION


# %% tests="cheapest_model_by_hand" points=1
# 2.0 nats by the refit, 2e12 served tokens, at our prices: 1.76 and 8.78 dollars for 10^18 operations, rounded.
_prices = 1.76e-18, 8.78e-18
check(
    cheapest_model(2.0, 2e12, BESIROGLU, *_prices),
    2.0772e10,
    rtol=0.01,
    unit="parameters",
    what="2.0 nats, 2e12 served tokens",
    mistakes={
        "serving is left out: this is the size that is cheapest to train": 4.8293e10,
        "training is left out: this is the smallest size that can reach the loss": 7.0783e9,
        "serving a token is one forward pass, 2 operations a weight, not 6": 1.6307e10,
        "serving a token is one forward pass, 2 operations a weight, not 1": 2.4580e10,
        "serving has a price of its own; an operation costs more there": 3.0661e10,
        "the two prices are swapped": 4.1163e10,
        "a served token is charged like one of training here; it takes a third of the operations, at another price": 2.3488e10,
        "training takes 6 operations a weight and token; recomputation is no part of it": 2.2256e10,
        "training takes 6 operations a weight and token, not 4": 1.8913e10,
        "only the served tokens are served; those of training are paid for already": 2.6375e10,
        "20 tokens a parameter is a rule for training alone": 4.6729e10,
        "these are the tokens; asked for is the size": 3.0456e12,
        "these are billions; asked for is the number of parameters": 20.772,
        "this is the bill in dollars; asked for is the size of the cheapest": 1_397_600.0,
        "this is the place of the size in the list of sizes; asked for is the size": 61_678.0,
        "this is the first size of the list: is there a nan in the bill? np.argmin stops at it": 1e6,
        "the bill is nan where the size is too small; leave such sizes out, or make it inf": math.nan,
    },
)
check(
    cheapest_model(2.0, 0, BESIROGLU, *_prices),
    4.8293e10,
    rtol=0.01,
    unit="parameters",
    what="2.0 nats, nothing served",
)
check_raises(ValueError, cheapest_model, 1.8, 1e12, BESIROGLU, *_prices, because="1.8 nats are below E = 1.82")


# %% tests="cheapest_model_properties" points=1
# Checked when you are graded: only the ratio of the prices counts; nothing served; very much served; the other fit.
### BEGIN HIDDEN TESTS
def _cheapest(loss, served, law, price_ratio):
    """Halve the interval between the two sizes of hint 1: at the best one, no small step helps."""
    alpha, beta, reducible = law.params_exponent, law.tokens_exponent, loss - law.irreducible
    low = (law.params_scale / reducible) ** (1 / alpha)
    high = low * (1 + alpha / beta) ** (1 / alpha)
    for _ in range(100):
        size = (low + high) / 2
        too_small = law.params_scale * size**-alpha
        tokens = (law.tokens_scale / (reducible - too_small)) ** (1 / beta)
        gain = alpha * too_small / (beta * (reducible - too_small)) - 1
        low, high = (size, high) if 3 * tokens * gain > price_ratio * served else (low, size)
    return size


_small = LossLaw(1.0, 50.0, 200.0, 0.3, 0.3)
for _loss, _served, _law, _p, _q in (
    (2.1, 0, BESIROGLU, 1, 1),
    (2.0, 1e12, BESIROGLU, 1.75, 8.75),  # dollars for 10^18 operations
    (2.0, 3e12, HOFFMANN, 2e-18, 6e-18),
    (1.95, 1e15, BESIROGLU, 1e-18, 1e-18),
    (1.88, 1e11, BESIROGLU, 1e-18, 4e-18),
    (2.5, 1e10, HOFFMANN, 3e-18, 1e-18),
    (2.0, 1e5, _small, 1.0, 2.0),
):
    check(
        cheapest_model(_loss, _served, _law, _p, _q),
        _cheapest(_loss, _served, _law, _q / _p),
        rtol=0.012,
        unit="parameters",
        what=f"{_loss} nats, {_served:.0e} served tokens, prices {_p} and {_q}",
    )
for _loss, _law in ((1.82, BESIROGLU), (1.0, BESIROGLU), (1.69, HOFFMANN)):
    check_raises(
        ValueError,
        cheapest_model,
        _loss,
        1e12,
        _law,
        1,
        1,
        because=f"{_loss} nats are not above E = {_law.irreducible}",
    )
### END HIDDEN TESTS

# %% [markdown]
r"""
The bill for every size, at the prices from above, for a loss of 2.0 nats:
"""


# %%
def bill(num_params, served):
    """Return the dollars of training models of these sizes to 2.0 nats, and of serving so many tokens."""
    trained = BESIROGLU.tokens_for(2.0, num_params)
    return 6 * num_params * trained * training_price + 2 * num_params * served * serving_price


sizes = np.geomspace(7.1e9, 2e11, 20_001)
print("served   cheapest: parameters   tokens   a parameter   thousand dollars   the one cheapest to train")
for served in (0, 1e11, 1e12, 1e13):
    best = sizes[bill(sizes, served).argmin()]
    tokens = float(BESIROGLU.tokens_for(2.0, best))
    print(f"{served:6.0e} {best:22.3g} {tokens:8.3g} {tokens / best:13.0f}", end="")
    print(f" {bill(best, served) / 1e3:18,.0f} {bill(best_params, served) / 1e3:27,.0f}")

# %%
fig, axes = plt.subplots()
for served, colour, label in (
    (0, "C0", "nothing served"),
    (1e11, "C2", "$10^{11}$ tokens"),
    (1e12, "C1", "$10^{12}$ tokens"),
    (1e13, "C4", "$10^{13}$ tokens"),
):
    dollars = bill(sizes, served)
    axes.loglog(sizes, dollars, color=colour)
    axes.plot(sizes[dollars.argmin()], dollars.min(), "o", color=colour)
    axes.text(2.1e11, dollars[-1], label, color=colour, va="top" if served == 0 else "bottom")
axes.set(xlabel="parameters", ylabel="training and serving (dollars)", ylim=(2e5, 1e8), xlim=(6e9, 2e11))
axes.set_xticks([1e10, 2e10, 5e10, 1e11, 2e11], labels=["10 billion", "20", "50", "100", "200"])
_ = axes.minorticks_off()

# %%
print("served   bill / least, at half of the best size   at twice")
for served in (0, 1e11, 1e12, 1e13):
    best = sizes[bill(sizes, served).argmin()]
    half, twice = (bill(share * best, served) / bill(best, served) for share in (0.5, 2))
    print(f"{served:6.0e} {half:40.3g} {twice:10.3g}")

# %% [markdown]
r"""
**What you see.** The more is to be served, the smaller and the longer trained the cheapest model is, and the steep
wall on the left, where the loss cannot be reached, stops it. As the bottom moves towards the wall, the valley gets
narrower, most of all on the left: with $10^{12}$ served tokens half of the best size costs more than twice as much,
with $10^{13}$ hundreds of times, and twice the best size a third and a half more. A round number near the bottom is
good enough, if it is rounded up.

**Llama 2 7B** again, 286 tokens a parameter. What did its long training cost, against the model that is cheapest to
train to the same loss, and when is that paid back? By the two fits:
"""

# %%
small = np.array([7e9, 2e12])
for law, name in ((BESIROGLU, "refit"), (HOFFMANN, "Hoffmann")):
    large = cheapest_run(law.loss(*small), law)
    work = np.prod(small), np.prod(large)
    extra = training_price * 6 * (work[0] - work[1])
    equal = 3 * (work[0] - work[1]) / (large[0] - small[0])
    print(f"{name}: instead of {large[0] / 1e9:.1f} billion and {large[1]:.2g} tokens, ", end="")
    print(f"{work[0] / work[1]:.2f} times the computation, {extra / 1e3:.0f} thousand dollars more;")
    print(f"   paid back after {equal:.2g} served tokens at equal prices, ", end="")
    print(f"{equal * training_price / serving_price:.2g} at ours")

# %% [markdown]
r"""
**What you see.** By the refit almost twice the computation of the cheapest run, some 70 thousand dollars more at our
prices; by the first fit a seventh more. By both it is paid back after fewer served tokens than the model was trained
on.

Treat both numbers with care. The runs behind the fits had 70 million to 16 billion parameters and 5 to 500 billion
tokens (Besiroglu et al. 2024, introduction): $2\cdot10^{12}$ tokens are four times the most that any of them saw.
Laws fitted at usual ratios promise too much for very many tokens a parameter (Sardana et al. 2024, who also
introduced the bill of this section, and saw models improve up to 10 000 tokens a parameter). $E$, $a$ and $b$ belong
to one data set and its tokens. And an answer is more than a loss: attention to a long conversation comes on top of
$2\Psi$, and so does memory for it.

**A published bill.** The series compares two plans, in dollars:

| plan | training | GPUs that serve | a year of serving |
|---|---|---|---|
| 70 billion parameters | 2 million | 8 | 3.4 million |
| 7 billion, trained longer | 0.5 million | 1 | 0.43 million |

An hour of a serving GPU costs 50 dollars there. (On demand, an H100 cost 2 to 5 in 2026 and an A100 0.90 to 3, by the
lists of several providers; such prices age quickly, put in today's.) What does an hour of a *training* GPU cost in
it? It prints neither this price nor the kind of GPU. But the operations of the training are known. On A100 that reach
40 % of their peak:
"""

# %%
hours = {
    "70 billion, 1.4e12 tokens": (training_flops(70e9, 1.4e12) / (312e12 * 0.4 * 3600), 2e6, 8),
    "7 billion, 2e12 tokens": (training_flops(7e9, 2e12) / (312e12 * 0.4 * 3600), 0.5e6, 1),
}
for name, (gpu_hours, budget, num_gpus) in hours.items():
    print(f"{name}: {gpu_hours:,.0f} A100-hours for {budget / 1e6} million, {budget / gpu_hours:.2f} dollars each;")
    print(f"   at 50 they would be {50 * gpu_hours / 1e6:.1f} million, {50 * gpu_hours / budget:.0f} times as much")
    print(f"   {num_gpus} serving for a year at 50: {50 * num_gpus * 8760:,.0f} dollars")

# %% [markdown]
r"""
**What you see.** The two halves of the comparison use prices that are far apart: 50 dollars for an hour of serving,
but 1.53 for an A100-hour of training, 33 times less; for the small model 2.67, 19 times less. (A year at 50 comes to
3.504 and 0.438 million; the printed numbers are a little lower.)

And what if both halves pay our prices? H100 at 2.50 dollars an hour, 40 % in training and 8 % in serving:
"""

# %%
training = training_price * training_flops(70e9, 1.4e12)
a_year = 989e12 * 0.08 * 3600 * 8760 / (2 * 70e9)
print(f"training the 70 billion: {training:,.0f} dollars; 8 H100 for a year: {8 * 2.5 * 8760:,.0f}")
print(f"the training costs as much as {training / (2.5 * 8760):.0f} H100 for a year")
print(f"8 H100 serve {8 * a_year:.2g} tokens a year, {8 * a_year / 1.4e12:.2f} of those of the training")

# %% [markdown]
r"""
**What you see.** The training costs as much as six years of serving on 8 GPUs. The conclusion of the series, that
serving decides, can hold all the same: not because GPUs are dear, but where *many* of them serve. In a year 8 of them
read and write a tenth of the tokens of the training; 47 cost in a year what the training does. So ask for the number
of tokens first.

What remains: batch, GPUs, size and price are on paper now. What tells you, in the first hours, that the run follows
the plan?
"""

# %% [markdown]
r"""
## 10.7 What to watch

A plan is made of numbers that may be wrong, and a run tells whether they are, if it is asked. Here are four symptoms.
Three are produced on purpose, on the problem with a knee of lessons 05 and 06 (logistic regression, 4096 examples),
so that their causes are known; the fourth is arithmetic.
"""

# %% [markdown]
r"""
**Symptom 1: the throughput went up, and the loss is worse.** A run on 8 GPUs with 16 examples each was moved to 64
GPUs. As in section 10.1 a step takes 0.25 s on any number of GPUs, so eight times as many examples pass in a second.
After 16 384 examples the loss is compared: once with the learning rate left as it was, once tuned for the new batch.
The ratio $B/B_\text{simple}$ is measured there, too, each at the weights of its own run.
"""

# %%
from itertools import islice

from largebatch.descent import excess_curves, walk
from largebatch.knee import uneven_problem
from largebatch.logistic import sigmoid

problem, goal = uneven_problem(), 0.005  # nats above the optimum

# %%


def excess_after(curves, num_steps):
    """Return for each rate the loss above the optimum after so many steps, the mean over the seeds."""
    return [np.exp(np.interp(num_steps, curves.steps, np.log(column))) for column in curves.excess.mean(axis=1).T]


def tuned_rate(batch):
    """Return the rate, of eight that are a factor of √2 apart, that is best after 16 384 examples."""
    rates = 2 ** (np.arange(8) / 2)
    tried = excess_curves(problem, batch, rates, goal, 12, np.random.default_rng(1))
    return rates[np.argmin(excess_after(tried, 16_384 / batch))]


small, large = tuned_rate(128), tuned_rate(1024)
runs = {"8 GPUs": (128, small), "64, rate as before": (1024, small), "64, rate tuned": (1024, large)}

# %%
curves, ratio = {}, {}
print("after 16 384 examples   rate   excess loss   B/B_simple      until 0.005: examples   seconds")
for name, (batch, rate) in runs.items():
    curves[name] = excess_curves(problem, batch, [rate], goal, 12, np.random.default_rng(2))
    *_, weights = islice(walk(problem, batch, [rate], 12, np.random.default_rng(2)), 16_384 // batch + 1)
    traces, squared_norms = problem.noise(weights[:, :, 0].T)
    ratio[name] = batch * squared_norms.mean() / traces.mean()
    steps, excess = curves[name].steps_to(goal)[0], excess_after(curves[name], 16_384 / batch)[0]
    print(f"{name:20s} {rate:7.2f} {excess:13.4f} {ratio[name]:12.2f} {batch * steps:24,.0f} {0.25 * steps:9.1f}")
times = (1 + ratio["64, rate tuned"]) / (1 + ratio["8 GPUs"])
print(f"by the law of lesson 05, the larger batch takes {times:.1f} times the examples")

# %%
fig, panels = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True)
for color, (name, each) in zip(("C0", "0.5", "C1"), curves.items(), strict=True):
    steps, excess = each.steps[1:], each.excess.mean(axis=1)[1:]
    panels[0].loglog(runs[name][0] * steps, excess, color=color)
    panels[1].loglog(0.25 * steps, excess, color=color, label=name)
panels[0].axvline(16_384, color="k", lw=1, ls=":")
panels[0].text(15_000, 0.28, "16 384 examples", ha="right", va="top", fontsize=9)
panels[0].text(110, goal, "goal: 0.005", va="bottom", fontsize=9)
panels[0].set(xlabel="examples", ylabel="loss above the optimum (nats)", ylim=(0.003, 0.3))
panels[0].set_yticks([0.005, 0.02, 0.05, 0.2], labels=[0.005, 0.02, 0.05, 0.2])
panels[0].set_xticks([100, 1000, 10_000, 100_000], labels=["100", "1000", "10 000", "100 000"])
panels[1].set_xticks([0.5, 2, 8, 32], labels=[0.5, 2, 8, 32])
panels[1].set(xlabel="time (s)")
for axes in panels:
    axes.axhline(goal, color="k", lw=1, ls=":")
    axes.minorticks_off()
panels[1].legend(loc="upper right")
fig.tight_layout()

# %% [markdown]
r"""
**What you see.** At equal examples (vertical line) the large batch is behind with either rate, three times as far
from the optimum even when tuned. At equal time the tuned run is far ahead, and comes to the same loss in a quarter of
the time with twice the examples. So "the loss is worse" is no verdict before it is said what is short: data and
money, or time. With the old rate the curve over time hardly differs from that of 8 GPUs; only at its end, where noise
holds these back, do the other 56 buy anything.

How much of a worse loss is the price of the batch, and how much a wrong rate? The ratio $B/B_\text{simple}$ answers,
roughly: by the law the batch alone explains some two times the examples, 2.3 with these ratios. The tuned run needs
twice; the other one nearly five times, and the difference is its rate.

**Symptom 2: the loss is flat.** Five runs at their end, all nearly flat; what would help them differs. The test costs
little: go on from the same weights in branches of 64 steps, with a quarter of the rate, with the same, with four
times the rate, and with four times the batch. Before you run it: in which of the five is the *lowest* of the three
rates the best one, by a clear margin?
"""

# %%
start = np.zeros((8, 32))  # eight runs


def trained(weights, batch, rates, seed):
    """Return the weights of all runs, shape (runs, d), after a step with each of the rates."""
    rng = np.random.default_rng(seed)
    for rate in rates:
        rows = rng.integers(0, problem.num_examples, (len(weights), batch))
        features, labels = problem.features[rows], problem.labels[rows]
        residuals = sigmoid((features @ weights[:, :, None])[:, :, 0]) - labels
        weights = weights - rate / batch * (residuals[:, None] @ features)[:, 0]
    return weights


def mean_loss(weights):
    """Return the loss (nats), the mean over the runs."""
    return problem.loss(weights.T).mean()


# %%
flat = {  # batch, rates
    "rate far too small": (64, [0.002] * 256),
    "256 steps of a warmup of 20 000": (64, 1.4 * np.arange(1, 257) / 20_000),
    "rate too large for this batch": (16, [2.8] * 1024),
    "rate too large for any batch": (1024, [12] * 128),
    "almost done": (256, [3.0] * 200 + [0.3] * 200),
}
print(f"{'':32s} loss at half   at the end   after 64 steps: rate / 4   × 1     × 4   batch × 4   B_simple")
for name, (batch, rates) in flat.items():
    half = trained(start, batch, rates[: len(rates) // 2], 3)
    end = trained(half, batch, rates[len(rates) // 2 :], 4)
    after = [mean_loss(trained(end, batch, [f * rates[-1]] * 64, 5)) for f in (1 / 4, 1, 4)]
    after.append(mean_loss(trained(end, 4 * batch, [rates[-1]] * 64, 5)))
    traces, squared_norms = problem.noise(end.T)
    print(f"{name:32s} {mean_loss(half):12.4f} {mean_loss(end):12.4f}", end="      ")
    print("".join(f"{loss:9.4f}" for loss in after), f"{traces.mean() / squared_norms.mean():12,.0f}")
print(f"optimum {problem.least_loss:.4f}, where all runs start {np.log(2):.4f}")

# %% [markdown]
r"""
**What you see.**

* Flat from the start, and four times the rate brings it down: the rate *in use* is too small. Why, the branches do
  not tell. The first run has a small rate, the second a warmup longer than the run; print the rate of the last step
  and compare it with the plan.
* Flat late, and a quarter of the rate brings it down at once: the rate is too large now, for one of two reasons. With
  *noise* the weights are thrown about as far as they come in a step; then four times the batch brings it down just as
  well, for four times the examples. Or the steps *overshoot*: in the steepest direction they leap from one side of
  the valley to the other, noise or not. Then a larger batch does not help. Only the branch with four times the batch
  tells the two apart.
* Flat late, and no branch lowers it by much: the run is nearly done.

$B_\text{simple}$, so useful above, tells only the finished run from the others: at the floor it is about as small as
at the start, because the bouncing itself keeps the gradient long (section 6.7). One step of the loss tells nothing
either; at the floor it jumps about. A branch decides.

**Symptom 3: the clip rate.** Nearly all language models are trained with a limit $g_{\max}$ on the norm of the
gradient; a longer gradient is shortened to $g_{\max}$ before the step (section 2.6). The share of steps in which that
happens is the *clip rate*. Lesson 06 found

$$
\mathbb E\,|g_B|^2 = |G|^2 + \frac{\operatorname{tr}\Sigma}{B} :
$$

a small batch has a longer gradient, of noise alone. It reaches the limit, as a root mean square, at $B =
\operatorname{tr}\Sigma/(g_{\max}^2 -
|G|^2)$. So take one place of a run, a limit that clips 5 % of the steps at a batch of 1024, and change nothing but
the batch.
"""

# %%
place = trained(start[:1], 64, [1.4] * 100, 6)[0]
trace, squared_norm = problem.noise(place)
residuals = sigmoid(problem.features @ place) - problem.labels
gradients, rng = residuals[:, None] * problem.features, np.random.default_rng(7)
sizes = 2 ** np.arange(2, 13)
norms = np.array([np.linalg.norm(gradients[rng.integers(0, 4096, (200, b))].mean(axis=1), axis=1) for b in sizes])
limit = np.quantile(norms[sizes == 1024], 0.95)
clipped, kept = (norms > limit).mean(axis=1), np.minimum(1, limit / norms).mean(axis=1)
print(f"limit {limit:.4f}, reached by the root mean square at a batch of {trace / (limit**2 - squared_norm):.0f}")
print("batch   norm (root mean square)   formula   clip rate   length that is left")
lengths, formula = np.sqrt((norms**2).mean(axis=1)), np.sqrt(squared_norm + trace / sizes)
for row in zip(sizes, lengths, formula, clipped, kept, strict=True):
    print("{:5d} {:25.4f} {:9.4f} {:11.0%} {:21.0%}".format(*row))

# %% [markdown]
r"""
**What you see.** From 1024 down to 64 examples the clip rate rises from 5 % to all steps, and nothing has exploded.
Where everything is clipped, every step of SGD has the length $\eta\,g_{\max}$: the effective rate is $\eta$ times the
last column, which falls like $\sqrt B$. Whoever lowers the rate with the batch, as the rules say, lowers it twice.
(Adam divides by the size of its gradients, so what shortens all of them alike cancels.) And with either, the limit no
longer singles out the rare bad batch for which it was made. Set it from the norms of the batch that is used.

**Symptom 4: the noise-scale ratio.** $x = B/B_\text{simple}$, from the meter of lesson 06. What does a value mean for
the next decision? By the law, with $B_\text{simple}$ in the place of $B_\text{crit}$:
"""

# %%
print("B/B_simple   of all tokens, lost to the batch   steps / fewest   twice the batch: steps ×   tokens ×")
for x in (0.05, 0.2, 1, 5, 20):
    fewer, more = (1 + 1 / (2 * x)) / (1 + 1 / x), (1 + 2 * x) / (1 + x)
    print(f"{x:10.2f} {x / (1 + x):34.0%} {1 + 1 / x:16.2f} {fewer:26.2f} {more:10.2f}")

# %% [markdown]
r"""
**What you see.** At 0.05 a doubling halves the steps and takes 5 % more tokens: if the GPUs are there, do it. At 1
every second token buys nothing, and a doubling takes a quarter of the steps away (section 10.2). At 20 it takes 2 %
away, for 95 % more tokens: *halve* the batch, and give the GPUs to somebody else.

**What a log should hold.** Two runs, made up for this example, report the same throughput of 500 000 tokens a second:
"""

# %%
logs = {  # GPUs, sequences of 2048, accumulation, share of tokens that carry loss, seconds of a step
    "pre-training": (64, 4, 1, 1.00, 1.049),
    "fine-tuning": (64, 1, 64, 0.30, 16.78),
}
for name, (num_gpus, micro_batch, accumulation_steps, share, seconds) in logs.items():
    tokens = num_gpus * micro_batch * accumulation_steps * 2048
    print(f"{name:13s} {tokens / seconds:8,.0f} tokens/s, {tokens:9,} tokens a step,", end=" ")
    print(f"{share * tokens:9,.0f} with loss, {86_400 / seconds:6,.0f} steps a day")

# %% [markdown]
r"""
**What you see.** The throughput of the two is the same, and hides what differs. The second run takes one step in the
time in which the first takes sixteen, and most of its tokens are prompts and padding without a loss. A good log has:
tokens of a step, all and with loss; seconds of a step; the rate in use; gradient norm before clipping, and clip rate;
the noise-scale ratio; and the loss against tokens *and* against time.

| symptom | look at | likely cause | try | lesson |
|---|---|---|---|---|
| throughput up, loss worse at equal tokens | $B/B_\text{simple}$; loss against time | past the knee; or the rate did not follow the batch | if the ratio explains it, decide what is short; if not, tune the rate | 05, 03 |
| loss flat from the start | rate in use, warmup steps / steps | rate too small, warmup that grew with the batch, scheduler stepped too rarely | four times the rate in a branch | 04 |
| loss flat late, and a branch at a quarter of the rate falls at once | a branch with four times the batch | it falls: noise floor; it does not: steps overshoot | decay the rate; for a noise floor a larger batch will do, too | 05, 07 |
| clip rate near 1 | gradient norm against $\sqrt{\lvert G\rvert^2 + \operatorname{tr}\Sigma/B}$ | equal: the limit is that of a larger batch | limit from this batch's norms | 02, 06 |
| noise-scale ratio far above 1 | tokens lost, $x/(1+x)$ | too many GPUs with a batch each | smaller batch, fewer GPUs | 06, 10.2 |
| few steps an hour | seconds of a step, accumulation | few GPUs accumulate many micro-batches to reach a large batch | fewer micro-batches, if the ratio is not far below 1 | 02, 08 |
| loss jumps with the data mixture | tokens with loss in a step | a mean over unequal counts | divide sums by the count of all ranks | 02, 09 |

## Exercise 10.7: `quiz_monitor` (1 point, 8 minutes, core)

Read-outs of five runs, and what was concluded. Which conclusions hold, by the laws of the course? Answer with a set
of letters.

*Run 1* went from 8 to 64 GPUs, and from 0.25 to 2 million tokens a step. Its noise scale is 1 million tokens. Eight
times as many tokens pass in a second. At equal tokens the loss is worse. The rate was tuned anew.

- **A** It needs 2.4 times as many tokens as before to reach the same loss.
- **B** It will reach the goal later than before.

*Run 2* moved from 4 million tokens a step to 250 000, with the limit for the gradient norm unchanged. Its noise
scale is 4 million. The gradient norm tripled, and the clip rate rose from 3 % to 97 %.

- **C** Gradients explode: the rate is too large.
- **D** The tripled norm is what the noise of the smaller batch makes of it.

*Run 3* has been flat for a while. A branch with a quarter of the rate falls at once.

- **E** The rate is too small.
- **F** A branch with a larger batch at the same rate would tell whether noise keeps the loss up.

*Run 4* has $B/B_\text{simple} = 0.05$, *run 5* has 20.

- **G** Run 4 can double its batch for about 5 % more tokens.
- **H** Run 5 has the better batch: its gradients are almost free of noise.
"""

# %% solution="quiz_monitor"
### BEGIN SOLUTION answer_quiz_monitor = set()  # for example {"A", "B"}
answer_quiz_monitor = {"A", "D", "F", "G"}
### END SOLUTION

# %% tests="quiz_monitor_choice" points=1
# The verdict on each of your letters, with the reason.
check_choice("quiz_monitor", answer_quiz_monitor)

# %% [markdown]
r"""
## 10.8 Nine sentences from a meeting

The series for technical leaders that sections 10.2 and 10.4 quoted ends with six sayings that a leader will hear, and
with what to make of them. Three lines of its lists are added here. Each can be computed. The run is that of section
10.3: 7 billion parameters on GPUs that reach 400 TFLOP/s, $E_{\min}$ = 140 billion tokens, $B_\text{crit}$ = 4
million, 0.56 s of a step for communication, not hidden.

**"We need to increase the batch size."** The series: faster, up to the critical batch size. Before you run it: which
batch is the fastest on 256 GPUs, and is it above or below $B_\text{crit}$ on 1024?
"""

# %%
from largebatch import compute_law, tradeoff
from largebatch.compute_law import BESIROGLU, HOFFMANN, training_flops

cluster = {"seconds_per_token": 6 * 7e9 / 400e12, "step_overhead": 0.56}
law = {"min_tokens": 140e9, "critical_batch": 4e6}


def hours(num_gpus, batch):
    """Return the hours of the run."""
    return tradeoff.run_seconds(num_gpus, batch, **law, **cluster) / 3600


batches = (0.5e6, 1e6, 2e6, 4e6, 8e6)
print("million tokens:      ", "".join(f"{batch / 1e6:8.1f}" for batch in batches), "    best batch")
for num_gpus in (256, 1024):
    best = tradeoff.best_batch(num_gpus, 4e6, **cluster)
    taken = "".join(f"{hours(num_gpus, batch):8.1f}" for batch in batches)
    print(f"hours, {num_gpus:4d} GPUs:    {taken} {best / 1e6:9.1f} million")

# %% [markdown]
r"""
**What you see.** On GPUs that are there already, a larger batch makes the run faster only as far as it waits less
often: up to 2.3 million tokens on 256 of them. From there on it gets *slower*, well below $B_\text{crit}$. On 1024,
more than $N_{1/2}$ = 750, it goes on getting faster up to 4.7 million, beyond $B_\text{crit}$. (Here a GPU computes
as fast on little as on much. One with too little to do would gain, too.) Ask: are the GPUs waiting, or are there
going to be more of them?

**"Larger batches aren't helping any more."** The series: the critical batch size is reached; more GPUs improve
neither time nor quality, and more steps are needed to converge. We are at $B_\text{crit}$ on 256 GPUs. Before you run
it: what is faster, twice the GPUs with twice the batch, or twice the GPUs with the same?
"""

# %%
now = hours(256, 4e6)
for name, (num_gpus, batch) in {
    "twice the batch": (256, 8e6),
    "twice the GPUs, twice the batch": (512, 8e6),
    "twice the GPUs, same batch": (512, 4e6),
}.items():
    steps = tradeoff.steps_needed(batch, **law) / tradeoff.steps_needed(4e6, **law)
    print(f"{name:32s} {now / hours(num_gpus, batch):.2f} times as fast, {steps:.2f} times the steps")

# %% [markdown]
r"""
**What you see.** "Not helping" can mean three things. Twice the batch on the same GPUs is slower. Twice of both is
still 1.33 times faster, with *fewer* steps; it is the tokens that grow. And the same batch, shared by twice the GPUs,
is faster still, until communication ends it: it is the batch that has reached its knee, not the cluster. Nor is a
loss out of reach: at a larger batch it takes more tokens, and looks worse only under a fixed budget of them (section
5.7). None of it has to do with minima that noise helps to escape from: the average over a large batch is nearly the
true gradient already, and a still larger batch makes it hardly any truer.

**"The critical batch size is, say, 8K to 32K."** Of what?
"""

# %%
for what, tokens in {"8192 tokens": 8192, "8192 sequences of 2048": 8192 * 2048}.items():
    print(f"{what:24s} {tokens:10,} tokens, {tokens / 4e6:6.3f} of our critical batch")
twenty = compute_law.batch_at_twenty_percent(140e9)
print(f"{'fit for 140e9 tokens':24s} {twenty:10,.0f} tokens cost 20 % more steps than perfect scaling")

# %% [markdown]
r"""
**What you see.** Between the two readings lies a factor of 2048. In McCandlish et al. (2018, table 1) measured
critical batches run from 40, for an autoencoder of images, to more than 8 million, for a game. Without a unit, a task
and a target the number says nothing.

**"Communication is above 40 %: stop adding GPUs."** A threshold without a source. Let $f$ be the share of a step in
which GPUs wait, with whatever batch. Twice the GPUs for the same batch halve the rest, so the run is $1/(f +
(1-f)/2) = 2/(1+f)$ times as fast.
"""

# %%
step_seconds = cluster["seconds_per_token"] * 4e6 / 256 + cluster["step_overhead"]
share = cluster["step_overhead"] / step_seconds
print(f"256 GPUs wait {share:.0%} of a step: 2 / (1 + f) = {2 / (1 + share):.2f}, the same as above")
assert math.isclose(2 / (1 + share), now / hours(512, 4e6))
for share in (0.05, 0.2, 0.4, 0.6, 0.8):
    print(f"waiting {share:4.0%}: twice the GPUs {2 / (1 + share):.2f} times as fast, {1 + share:.2f} times the cost")
print(f"waiting next to nothing, at 4 B_crit, twice the batch as well: {2 * (1 + 4) / (1 + 2 * 4):.2f} times as fast")

# %% [markdown]
r"""
**What you see.** At 40 % a doubling still buys a factor of 1.43, for 1.4 times the money. A run that never waits, at
four times the critical batch, buys 1.11. What to look at is not a share but the next doubling: its factor in time,
its factor in cost, and what a day is worth.

**"We are out of training data, so the batch cannot grow, and we cannot train longer."** There is a connection, and it
is a formula: $E_{\min}(1 + B/B_\text{crit}) \le D$ leaves $B \le (D/E_{\min} - 1)\,B_\text{crit}$.
"""

# %%
for available in (150e9, 200e9, 300e9):
    largest = (available / 140e9 - 1) * 4e6
    assert math.isclose(tradeoff.tokens_needed(largest, **law), available)
    print(f"{available / 1e9:.0f} billion tokens: batches up to {largest / 1e6:.2f} million")

# %% [markdown]
r"""
**What you see.** Data limit the batch by what it wastes; 200 billion tokens leave more than 40 % of $B_\text{crit}$.
And a text may be read more than once: up to four times cost next to nothing in the experiments of Muennighoff et al.
(2023), up to 9 billion parameters.

**"We follow Chinchilla." "We are over-training."** The first has 20 tokens a parameter. The second, say, $10^{12}$
tokens for the same 7 billion parameters, and the series says that this makes "a smaller, more capable model".
"""

# %%
print("tokens   FLOPs     loss   best for these FLOPs: parameters, loss   same loss, fewest FLOPs   break-even")
for tokens in (140e9, 1e12):
    flops, loss = training_flops(7e9, tokens), BESIROGLU.loss(7e9, tokens)
    best = BESIROGLU.optimal(flops)
    sizes = np.geomspace(1e9, 1e11, 4001)
    needed = np.minimum(BESIROGLU.tokens_for(loss, sizes), 1e18)  # many more than there are, where none suffice
    least = np.argmin(sizes * needed)
    saved = 3 * (7e9 * tokens - sizes[least] * needed[least]) / (sizes[least] - 7e9)
    print(f"{tokens:7.1e} {flops:8.2g} {loss:7.3f} {best[0] / 1e9:24.1f}e9 {BESIROGLU.loss(*best):8.3f}", end="")
    print(f"{sizes[least] / 1e9:19.1f}e9, {flops / training_flops(sizes[least], needed[least]):.2f} times", end="")
    print(f" {saved:14.2g} tokens served" if sizes[least] > 7.1e9 else "")

# %% [markdown]
r"""
**What you see.** The first is right where the refit puts the bottom of the valley: a good choice if training is what
costs. In the second the same model is better than after 140 billion tokens, but not more capable than its computation
allows: a model of 18.9 billion parameters would have got further with it. It takes 1.41 times the FLOPs of the
cheapest way to its loss, and has earned them back after $7\cdot10^{11}$ served tokens, counted in FLOPs (section 10.6
has the prices). So there is one question to both: how much will be served?

**"The first days tell where a run will end; at day 2 we decide about the rest of the 30."** The laws of
section 10.5 were fitted to finished runs. What do early days say about *one* run? Two tests. First the recorded runs
of lesson 06, a small transformer with Adam at a constant rate: ten batch sizes, three seeds, five rates each. Which
of the five leads after a fifteenth of the steps, and which is first at the target of 0.12? And where does a straight
line in log–log, through the points of that fifteenth, arrive?
"""

# %%
from largebatch.data import language_sweep
from largebatch.descent import crossing

agreed, late, foreseen = [], [], []
for recorded in language_sweep().values():
    for seed in range(3):
        excess = recorded.excess[:, seed]
        steps = crossing(recorded.steps, excess, 0.12)  # of each rate
        early = steps.min() / 15
        leader = np.argmin([np.interp(early, recorded.steps, column) for column in excess.T])
        agreed.append(leader == steps.argmin())
        late.append(steps[leader] / steps.min())
        seen = (recorded.steps >= early / 4) & (recorded.steps <= early)
        line = np.polyfit(np.log(recorded.steps[seen]), np.log(excess[seen, steps.argmin()]), 1)
        foreseen.append(np.exp(np.polyval(line, np.log(steps.min()))))
print(f"the early leader wins in {sum(agreed)} of {len(agreed)}; at worst it takes {max(late):.2f} times the steps")
print(f"foreseen instead of 0.12: {np.median(foreseen):.2f}, from {min(foreseen):.2f} to {max(foreseen):.2f}")

# %% [markdown]
r"""
Real runs bring their rate down towards the end. So, second, the logistic problem with a rate that falls linearly to
0: 1500 steps, batches of 16, five peak rates, 24 seeds.
"""

# %%
peaks, falling = (0.25, 0.5, 1, 2, 4), 1 - np.arange(1500) / 1500
early, final = [], []
for peak in peaks:
    weights = trained(np.zeros((24, 32)), 16, peak * falling[:100], 8)
    early.append(problem.loss(weights.T) - problem.least_loss)
    final.append(problem.loss(trained(weights, 16, peak * falling[100:], 9).T) - problem.least_loss)
print(f"{'peak rate':32s}", *(f"{peak:8g}" for peak in peaks))
for name, excess in (("a fifteenth of the way", early), ("the end", final)):
    print(f"excess, {name:24s}", *(f"{value:8.4f}" for value in np.mean(excess, axis=1)), end="   leads, of 24: ")
    print(*np.bincount(np.argmin(excess, axis=0), minlength=5))
print("the same rate leads at both:", sum(np.argmin(early, axis=0) == np.argmin(final, axis=0)), "of 24")

# %% [markdown]
r"""
**What you see.** At a constant rate the early leader was the later winner in about half of the cases (by chance it
would be a fifth), and never took more than 1.22 times its steps. But the excess that the first fifteenth foresees is
two to five times too high: the curve bends. With a falling rate the order itself turns over: early, a large rate is
ahead because it has come further; at the end a smaller one wins. Whoever keeps only the leader of day 2 mostly stops
the winner. What two days *can* show is that something is broken, if there is the record of an earlier run with the
same schedule to compare with.

**"We are doing a scaling-law study."** A good investment, says the series. How good? Suppose the refit of section
10.5 were the truth. Five budgets from $10^{18}$ to $10^{21}$ FLOPs, at each seven sizes around its best, losses that
scatter by 0.01 nats; a parabola through each seven gives a best size, a line through the five predicts that for
$5.76\cdot10^{23}$. 200 such studies:
"""

# %%
rng, target = np.random.default_rng(0), 5.76e23
budgets, best_sizes = np.geomspace(1e18, 1e21, 5), []
for flops in budgets:
    sizes = BESIROGLU.optimal(flops)[0] * np.geomspace(1 / 4, 4, 7)
    losses = BESIROGLU.loss(sizes, flops / 6 / sizes)[:, None] + rng.normal(0, 0.01, (7, 200))
    bend, slope, _ = np.polyfit(np.log(sizes), losses, 2)
    best_sizes.append(-slope / (2 * bend))  # the vertex, in log parameters
slope, height = np.polyfit(np.log(budgets), best_sizes, 1)
predicted = np.exp(slope * np.log(target) + height)

truth = BESIROGLU.optimal(target)[0]
low, high = np.percentile(predicted / truth, [5, 95])
print(f"cost of a study: {7 * budgets.sum() / target:.1%} of the run")
published = HOFFMANN.optimal(target)[0]
for name, size in {"low (5 %)": low * truth, "high (95 %)": high * truth, "Hoffmann": published}.items():
    more = BESIROGLU.loss(size, target / 6 / size) - BESIROGLU.loss(truth, target / 6 / truth)
    print(f"{name:12s} {size / truth:.2f} of the best size, {more:.5f} nats above its loss")

# %% [markdown]
r"""
**What you see.** For 1.5 % of the run, nine studies in ten come within a sixth of the best size, across nearly three
orders of magnitude, and the wide valley makes even that cheap. *If* the law has the right form, and every small run
was tuned. The last line is the warning: two published fits to the same runs differ by more than a factor of two, far
more than such studies scatter.
"""

# %% [markdown]
r"""
## 10.9 A plan

All lessons in one question. A *choice* is what one decides: GPUs, ZeRO stage, recomputation, micro-batch,
accumulation, learning rate, warmup. Everything else follows. `outcome` computes it from a brief by the formulas that
you know: memory (lesson 08), a step's computation and what communication it does not hide (09), tokens and steps
(05). `objections` holds it against the brief's limits, the rules for the rate (03) and the warmup (04). An example,
the model of 7 billion parameters again (6.7, to be exact), as one might begin: all 256 GPUs, what fits, and rate and
warmup of the run that is known to work:
"""

# %%
from pathlib import Path

import largebatch
from largebatch.brief import Brief, Cluster, Known, Limits, Model, read
from largebatch.choice import Choice, objections, outcome

EXAMPLES = Path(largebatch.__file__).parents[1] / "examples"
example = read(EXAMPLES / "brief.yaml")
print(example.known, example.limits, sep="\n")
first_try = outcome(example, Choice(256, 1, "selective", 4, 2, learning_rate=1.5e-4, warmup_steps=715))
print(f"{first_try.batch:,} tokens a step of {first_try.step_seconds:.2f} s, {first_try.memory:.1f} GB on each GPU")
print(f"{first_try.days:.1f} days, ${first_try.dollars:,.0f}, {first_try.tokens / 1e9:.0f} billion tokens")
for name, reason in objections(first_try).items():
    print(f"{name}: {reason}")

# %% [markdown]
r"""
Objections come with their reason. What a brief holds, and in which unit:

| entry | what it is |
|---|---|
| `model` | a `Model(num_params, num_layers, width, heads, vocabulary, sequence_length)` |
| `tokens` | $E_{\min}$: tokens with which the goal is reached by small batches |
| `noise_scale` | tokens; taken for $B_\text{crit}$ |
| `known` | `Known(optimizer, batch, learning_rate, warmup)` of a run that works; batch and warmup in tokens |
| `cluster` | `Cluster(num_gpus, gpus_per_node, memory, peak, utilisation, bandwidth, latency, price)`: GPUs at most; GB ($10^9$ bytes) of a GPU that the model may use; peak in TFLOP/s; the share of it that *all* computation reaches where nothing waits for communication; GB/s; seconds a message; dollars for a GPU and hour |
| `limits` | `Limits(days, dollars, tokens)`: at most; the last are the tokens that there are |

And this is how briefs arrive:

> We want the 13-billion model (40 layers, width 5120, 40 heads, vocabulary of 32 000, sequences of 2048 tokens). By
> the fit to our small runs, 260 billion tokens will do if the batch is small. There are 1.3 TB of clean text, and our
> tokenizer makes a token of four bytes; nothing is to be read twice. The noise meter of the pilot said 4000
> sequences. The pilot had sequences of 1024 tokens, and that was half-way through it.
>
> We have 14 nodes of 8 GPUs; two of the nodes go on serving the product. A GPU has 80 GiB, of which the driver,
> communication buffers and fragments have taken 8 GiB in every run so far. The data sheet says 989 TFLOP/s. Four of
> the layers on one GPU, with full recomputation, reached a *model* FLOPs utilisation of 36 %, attention counted, as
> in most reports. Each node has one network card of 400 Gbit/s; a message takes 20 microseconds. A node costs 20
> dollars an hour.
>
> The recipe that works is from our last model: AdamW, 512 sequences of 4096 tokens, a peak rate of 3e-4 after 1000
> steps of warmup. The model must be there in three weeks, of which the evaluation needs the last. Fifty thousand
> dollars are approved.

Three decisions are taken for you. *The noise scale* grows as the loss falls (section 6.1): half-way through, it is
too large for the start and too small for the end. Take it as it stands for the whole run, and in tokens. *The
network*: a ring that visits the GPUs node by node leaves each node over one link only, and the links inside a node
are faster, so a collective gets the whole card. *The rate*: for AdamW the root rule, a first guess to be tuned
around.

## Exercise 10.8: `plan_run` (3 points, 35 minutes, challenge)

Read the brief, and make a choice that keeps it.

- returns `(brief, choice)`: a `Brief` with the numbers as you read them, and a `Choice(num_gpus, zero_stage,
  recompute, micro_batch, accumulation_steps, learning_rate, warmup_steps)`
- whole nodes; `recompute` is `"none"`, `"selective"` or `"full"`; `micro_batch` counts sequences
- the rate within 10 % of the root rule's; as many tokens of warmup as in the known run, or more, and no more than a
  tenth of the run
- the batch is at most the noise scale, and the limits on memory, days, dollars and tokens are kept
- there are many right choices, of quite different kinds. `objections(outcome(brief, choice))` is empty for each, if
  the brief is read rightly
- the first check says which number is misread, and how if it can guess that, but not what the right one is

<details><summary>Hint 1 (click to open): which numbers are traps?</summary>

Go through the units of the table. Sequences of which length? GiB or GB, bits or bytes? For a node or for a GPU? Model
FLOPs utilisation does not count what is computed twice: a step is a forward pass and a backward pass worth two, and
full recomputation adds a second forward pass, four in the place of three.
</details>

<details><summary>Hint 2 (click to open): where to begin?</summary>

With the tokens: the saying "We are out of training data" in section 10.8 has the largest batch that they allow. Then
the days: with the GPUs' real speed, how many do you need at least? Then try stages and micro-batches with `outcome`,
and look at `memory`, `exposed_seconds` and `dollars`. Rate and warmup come last: both follow from the batch.
</details>
"""

# %%
model = Model(13e9, num_layers=40, width=5120, heads=40, vocabulary=32_000, sequence_length=2048)


# %% solution="plan_run"
def plan_run():
    """Return the brief in numbers, and a choice that keeps it."""
    ### BEGIN SOLUTION
    brief = Brief(
        model,
        tokens=260e9,
        noise_scale=4000 * 1024,
        known=Known("adamw", batch=512 * 4096, learning_rate=3e-4, warmup=1000 * 512 * 4096),
        cluster=Cluster(12 * 8, 8, (80 - 8) * 2**30 / 1e9, 989, 0.36 * 4 / 3, 400 / 8, 20e-6, 20 / 8),
        limits=Limits(days=14, dollars=50_000, tokens=1.3e12 / 4),
    )
    batch = 64 * 4 * 2048
    rate = brief.known.learning_rate * math.sqrt(batch / brief.known.batch)
    choice = Choice(64, 3, "selective", 4, 1, rate, math.ceil(brief.known.warmup / batch))
    return brief, choice
    ### END SOLUTION


# %% tests="plan_run_reading" points=1
# What you read: the numbers of your brief. (The right ones are not in this notebook.)
from largebatch.brief import numbers as _numbers

_key = read(EXAMPLES / "capstone.yaml")


def _answered():
    """Return the brief and the choice; WrongAnswer where they are none."""
    answer = plan_run()
    kinds = [type(part) for part in answer] if isinstance(answer, tuple | list) else []
    if kinds != [Brief, Choice]:
        swapped = "the other way round: the brief comes first" if kinds == [Choice, Brief] else ""
        raise WrongAnswer("a Brief and a Choice", described(answer), swapped)
    return answer


def _check_reading(name, got, right, misreadings):
    """Check one number of a brief without giving the right one away; misreadings: likely cause → value."""

    def means(value):
        return np.allclose(float(got), value, rtol=0.005, atol=0)

    try:
        cause = next((cause for cause, value in misreadings.items() if means(value)), "")
        agrees = means(right)
    except (TypeError, ValueError):
        cause, agrees = "a number is asked for", False
    if not agrees:
        raise WrongAnswer(f"the number that follows from the brief ({name})", described(got), cause)
    print(f"right: {described(got)} ({name})")


_missing = "this limit is missing"
_misread = {
    "tokens": {"these are the tokens that there are": 325e9, "these are billions": 260},
    "noise_scale": {
        "take the noise scale as it stands, not half of it": 4000 * 512,
        "these are sequences": 4000,
        "the sequences that were counted are those of the pilot, 1024 tokens long": 4000 * 2048,
        "the sequences that were counted are those of the pilot, not of the known recipe": 4000 * 4096,
    },
    "known.batch": {
        "these are sequences": 512,
        "the sequences of that run had 4096 tokens": 512 * 2048,
        "the sequences of that run had 4096 tokens, those of the pilot 1024": 512 * 1024,
    },
    "known.warmup": {
        "these are steps": 1000,
        "these are sequences": 512_000,
        "the sequences of that run had 4096 tokens": 1000 * 512 * 2048,
    },
    "cluster.num_gpus": {"two of the 14 nodes are not ours": 112, "these are nodes": 12},
    "cluster.memory": {
        "these are GiB; 1 GiB is 1.074 GB": 72,
        "this is what the label says, 8 GiB of it are taken": 80,
        "this is all of the 80 GiB, 8 of them are taken": 80 * 2**30 / 1e9,
        "the 8 are GiB, too": 80 * 2**30 / 1e9 - 8,
        "the 80 are GiB, too": 80 - 8 * 2**30 / 1e9,
        "these are GiB made smaller; 1 GiB is more than 1 GB": 72e9 / 2**30,
        "these are bytes": 72 * 2**30,
    },
    "cluster.peak": {"these are operations a second": 989e12},
    "cluster.utilisation": {
        "model FLOPs leave out the second forward pass, which the GPU computed as well": 0.36,
        "the other way round: the GPU computed a third more than the model's operations": 0.27,
        "full recomputation makes four passes of three, not six of five": 0.432,
        "these 36 % count attention already": 0.512,
        "these are percent": 48,
    },
    "cluster.bandwidth": {
        "these are Gbit/s": 400,
        "a ring leaves the node over one link, which has the whole card": 400 / 64,
        "these are bytes": 50e9,
        "these are GiB/s; a GB has 1e9 bytes": 50e9 / 2**30,
    },
    "cluster.latency": {"these are microseconds": 20, "these are milliseconds": 0.02},
    "cluster.price": {
        "this is the price of a node": 20,
        "a node has 8 GPUs: divide by 8": 160,
        "the two nodes that serve are not on your bill": 14 * 20 / 96,
    },
    "limits.days": {_missing: math.inf, "the evaluation needs the last of the three weeks": 21, "these are weeks": 2},
    "limits.dollars": {_missing: math.inf, "these are thousands": 50},
    "limits.tokens": {
        _missing: math.inf,
        "these are bytes": 1.3e12,
        "a token takes four bytes, not a byte four tokens": 5.2e12,
        "these are TiB; a TB has 1e12 bytes": 1.3 * 2**40 / 4,
        "these are billions": 325,
    },
}
_brief, _ = _answered()
if str(_brief.known.optimizer).lower() != "adamw":
    _cause = 'the brief says AdamW: write "adamw"; Adam without the W treats weight decay in another way'
    raise WrongAnswer("the optimizer of the brief (known.optimizer)", described(_brief.known.optimizer), _cause)
_read = dict(_numbers(_brief))
for _name, _right in _numbers(_key):
    _check_reading(_name, _read.get(_name), _right, _misread.get(_name, {}))

# %% tests="plan_run_fits" points=1
# Whether your choice can be run, and be expected to train: whole nodes, memory, learning rate, warmup.


def _against(brief, choice, names):
    """Return which of these requirements a choice does not meet under a brief, with reasons."""
    try:
        found = objections(outcome(brief, choice))
    except (TypeError, ValueError, ArithmeticError) as error:
        raise WrongAnswer("a choice that can be run", described(choice), str(error)) from None
    return {name: reason for name, reason in found.items() if name in names}


def _require(names, wanted):
    """Raise WrongAnswer, with every reason, where the choice does not meet these under the right brief."""
    brief, choice = _answered()
    if against := _against(_key, choice, names):
        reasons = "\n".join(f"{name}: {reason}" for name, reason in against.items())
        misread = "by your own brief nothing of this stands against it: look again at what you read"
        raise WrongAnswer(wanted, reasons, "" if _against(brief, choice, names) else misread)
    print("right:", wanted)


_require({"gpus", "nodes", "memory", "rate", "warmup"}, "a choice that can be run")

# %% tests="plan_run_limits" points=1
# Whether it keeps what was promised: batch, tokens, days and dollars.
_require({"ceiling", "tokens", "days", "dollars"}, "a choice that keeps batch, tokens, days and dollars")

# %% [markdown]
r"""
The right reading, to compare with yours:
"""

# %%
capstone = read(EXAMPLES / "capstone.yaml")
print((EXAMPLES / "capstone.yaml").read_text(encoding="utf-8"))

# %% [markdown]
r"""
### The planner

You have looked for a choice by hand. `largebatch.plan` does the same for round numbers of GPUs and batches and all
stages and recomputations, always with the largest micro-batch that fits and divides the batch. It leaves out a way
that shards or computes again more than another without a larger micro-batch. So a right plan of your own need not be
among its plans. How much room did the brief leave?
"""

# %%
from largebatch.plan import Impossible, plan, plans, report

tried = list(plans(capstone))
kept = [each for each in tried if not objections(each)]
print(f"{len(kept)} of {len(tried)} keep all limits:")
for each in sorted(kept, key=lambda each: each.dollars):
    choice = each.choice
    print(f"{choice.num_gpus:4d} GPUs, ZeRO-{choice.zero_stage}, {choice.recompute:9s} recomputation,", end=" ")
    print(f"{choice.micro_batch} × {choice.accumulation_steps} sequences: {each.batch:9,} tokens,", end=" ")
    print(f"{each.days:5.1f} days, ${each.dollars:,.0f}")

# %%
best = plan(capstone)
fig, axes = plt.subplots(figsize=(7, 4))
for num_gpus, x, y in ((24, 30.5, 43), (32, 30.5, 58), (48, 30.5, 86), (64, 30.5, 115), (96, 20.8, 122)):
    axes.text(x, y, f"{num_gpus} GPUs", color="0.4", fontsize=8, va="center" if x > 30 else "bottom")
for number, recompute in enumerate(("none", "selective", "full")):
    those = [each for each in tried if each.choice.recompute == recompute]
    costs = [each.dollars / 1000 for each in those]
    axes.loglog([each.days for each in those], costs, ".", ms=4, color=f"C{number}", label=recompute)
costs = [each.dollars / 1000 for each in kept]
axes.loglog([each.days for each in kept], costs, "ko", ms=9, mfc="none", label="keeps all limits")
axes.axvline(capstone.limits.days, color="k", lw=1, ls=":")
axes.axhline(capstone.limits.dollars / 1000, color="k", lw=1, ls=":")
axes.plot(best.days, best.dollars / 1000, "k*", ms=9, label="the planner's choice")
axes.text(14.2, 35.5, "14 days", fontsize=8)
axes.text(6.1, 51, "50 000 dollars", fontsize=8)
axes.set(xlabel="time of the run (days)", ylabel="cost (thousand dollars)", xlim=(6, 30), ylim=(35, 120))
axes.set_xticks([6, 8, 10, 14, 20, 30], labels=[6, 8, 10, 14, 20, 30])
axes.set_yticks([35, 50, 70, 100], labels=[35, 50, 70, 100])
axes.minorticks_off()
_ = axes.legend(title="recomputation", loc="upper left")

# %%
print(report(best))

# %% [markdown]
r"""
**What you see.** 18 plans, and they do not resemble one another: from 48 to 96 GPUs, three ZeRO stages, batches from
0.3 to 1 million tokens, from a little over one week to nearly two. Cheapest and soonest are 5000 dollars and six days
apart. (Each streak in the picture is a number of GPUs; slower plans than 30 days are left out.) What they share is
why they pass. All have micro-batches of two sequences and more, for which they pay with a higher stage or with full
recomputation: with one sequence at a time there is too little computation to hide the communication behind, and
accumulation, with which it is sent less often, takes more tokens. None goes near the noise scale, since the data
allow a quarter of it. And no plan recomputes nothing: that leaves memory for a single sequence.

The report names the formula behind each of its numbers; with a deadline the planner takes the cheapest plan, without
one the soonest. The most useful question comes after it: which number of the brief is worth an argument? Take the two
that nobody has measured well. Before you run it: which of them hurts more, if it is half of what the brief says, the
noise scale or the bandwidth?
"""

# %%
half_network = replace(capstone.cluster, bandwidth=capstone.cluster.bandwidth / 2)
others = {
    "half the noise scale": replace(capstone, noise_scale=capstone.noise_scale / 2),
    "half the bandwidth": replace(capstone, cluster=half_network),
}
for name, brief in others.items():
    possible = [each.dollars for each in plans(brief) if not objections(each)]
    cheapest = f", the cheapest for ${min(possible):,.0f}" if possible else ""
    print(f"{name:20s} keep all limits: {len(possible)}{cheapest}")

# %%
try:
    plan(replace(capstone, limits=replace(capstone.limits, days=7)))
except Impossible as reason:
    print(f"in one week: {reason}")

# %% [markdown]
r"""
**What you see.** Half the noise scale, and four plans are left; the bill rises by 12 %. Half the bandwidth, and there
is no plan at all. So measure what your network really does before you measure the noise scale once more. And where no
plan keeps all limits ("could it be done in one week?") the planner names the nearest changes with which one would.

Keep the tool. `examples/brief.yaml` explains every entry; copy it, put in your own numbers, and in a terminal (in
JupyterLab: File, New, Terminal), in the course folder:

    python -m largebatch.plan brief.yaml

prints the report, then what binds, which is the limit whose doubling would save most, and what each doubling would
change.
"""

# %% [markdown]
r"""
### What binds

Four briefs, all made from `examples/brief.yaml`, the 7 billion parameters once more. The last three have no deadline;
there the planner takes the soonest plan. What binds is the resource whose doubling would save most. Before you run
it: the second asks for 70 billion parameters on 16 GPUs of 76 GB. Lesson 08 counted 16 bytes a parameter. Does it
fit?
"""

# %%
from largebatch.plan import binding, relaxed

free = replace(example, limits=Limits())
seventy = Model(70e9, num_layers=80, width=8192, heads=64, vocabulary=32_000, sequence_length=2048)
slow = replace(free.cluster, num_gpus=64, memory=40, bandwidth=25 / 8)
fast = replace(free.cluster, bandwidth=200)
briefs = {
    "as it is, two weeks": example,
    "70 billion on 16 GPUs": replace(free, model=seventy, cluster=replace(free.cluster, num_gpus=16)),
    "25 Gbit/s, small GPUs": replace(free, cluster=slow),
    "a small noise scale": replace(free, noise_scale=200e3, cluster=fast),
}
for name, brief in briefs.items():
    try:
        best = plan(brief)
    except Impossible as reason:
        print(f"{name}: {reason}\n")
        continue
    waits = best.exposed_seconds / best.step_seconds
    print(f"{name}: {best.choice.num_gpus} of {brief.cluster.num_gpus} GPUs, {best.batch:,} tokens a step,", end=" ")
    print(f"{best.days:.1f} days, ${best.dollars:,.0f}; {waits:.0%} of a step waits")
    others = {change: plan(other) for change, other in relaxed(brief).items()}
    print(f"    what binds: {binding(best, others)}\n")

# %% [markdown]
r"""
**What you see.** The first keeps its deadline on 16 GPUs, far from any limit. The second does not fit: 16 bytes for
70 billion parameters, shared by 16, are 70 GB, and two gathered layers and the least of activations come on top. The
third waits for its network in more than two fifths of the time. The fourth has a fast network and leaves more than
half of the GPUs unused: a batch that feeds more of them would be above the noise scale.
"""

# %% [markdown]
r"""
### The planner against published runs

A planner that has never met a real run is an opinion. Four runs have published all that a brief needs, and what was
chosen (`data/published_runs.csv`, with sources). Each becomes a brief: its model, its kind of GPU, its days as the
deadline, and the loss that it reached as the goal. Three things were not published, and are assumed alike for all: a
utilisation of 40 % where nothing waits; a noise scale of five times the fit of section 10.3; and, as the run that is
known to work, GPT-3 13B with 2 million tokens at a rate of 1e-4 (Brown et al. 2020, table 2.1). The plan may take up
to four times as many GPUs as were used. Before you run it: will it take more of them, or fewer?
"""

# %%
from largebatch import published
from largebatch.compute_law import attention_share

print("                          GPUs   batch (million)      rate   utilisation   tokens (10^12)    days")
for run in published.runs():
    brief = published.brief_of(run)
    flops = training_flops(run["num_params"], run["tokens"], attention_share(run["sequence_length"], run["width"]))
    reached = flops / (3600 * run["gpu_hours"] * run["peak"] * 1e12)
    numbers = run["num_gpus"], run["batch"] / 1e6, run["learning_rate"], reached, run["tokens"] / 1e12
    row = "{:10,.0f} {:17.2f} {:9.1e} {:13.0%} {:16.2f} {:7.1f}"
    print(f"{run['model']:15s} run ", row.format(*numbers, published.days_of(run)))

    found = list(plans(brief))
    in_time = [each for each in found if each.days <= brief.limits.days]
    on_as_many = [each for each in found if each.choice.num_gpus <= run["num_gpus"]]
    best = min(in_time, key=lambda each: each.dollars) if in_time else min(on_as_many, key=lambda each: each.days)
    choice = best.choice
    numbers = choice.num_gpus, best.batch / 1e6, choice.learning_rate, best.utilisation, best.tokens / 1e12
    name = f"ZeRO-{choice.zero_stage}, {choice.recompute}"
    print(f"{name:15s} plan", row.format(*numbers, best.days), end="")
    print("" if in_time else f"   soonest on any number: {min(each.days for each in found):.1f}")

# %%
print("                published rate / root rule at the published batch   noise scale assumed (million)")
for run in published.runs():
    rule = published.KNOWN.learning_rate * math.sqrt(run["batch"] / published.KNOWN.batch)
    noise_scale = published.brief_of(run).noise_scale / 1e6
    print(f"{run['model']:15s} {run['learning_rate'] / rule:49.2f} {noise_scale:31.0f}")

# %% [markdown]
r"""
**What you see.** The two smaller runs are planned much as they were run: as many GPUs, or an eighth fewer, in the
same days. (The utilisation of 36 and 32 % is what waiting and recomputation leave of the 40; nothing was fitted.) The
batches differ by a factor of two, once up, once down. That hardly matters: these four batches, two run and two
planned, lie below a tenth of the assumed noise scale (121 and 22 million tokens), and the planner takes what a GPU
can hold.

The two larger ones cannot be done in time by data parallelism alone, not on four times the GPUs (LLaMA 65B would take
22 days there). On as many as were used it would take two and three times as long. For LLaMA 65B, factor by factor:
the run reached a utilisation of 50 % where the plan has 30, since a GPU that passes whole sequences through all
layers has no room for their activations and computes every layer again; and with three sequences on each of 2048 GPUs
the batch is so large that it needs 17 % more tokens. Both teams split the sequences and matrices of a layer between
GPUs as well (tensor parallelism), so that fewer ranks share the batch and each holds less. That is what this planner
does not know.

The rates: at the published batches the root rule is within a fifth for 12 and 65 billion parameters, half of what was
used for 3 billion, and three and a half times too high for 405 billion. It moves a rate between batches, not between
models: larger ones are trained with lower rates (section 7.8 names what is known about that). Start from a run of
your own.
"""

# %% [markdown]
r"""
## Recap

* A law with a corner makes all numbers of GPUs past it equally fast; the smooth law has no corner, no last useful GPU
  and no free one. A doubling buys time and tokens whose product is 2 (10.1, 10.2).
* With the batch free, communication and critical batch meet in one number, $N_{1/2} = B_\text{crit}\,c/t$: there a
  run takes four times its floor and costs four times its least (10.3).
* A run computes $6\Psi D$ operations. Printed figures can be 17 times off; multiplying is enough to see it (10.4).
* Two published fits to the same runs differ by a factor of five in tokens a parameter at Chinchilla's budget; the
  valley around the best size is wide. Who serves many tokens wants a smaller model, in a narrower one (10.5, 10.6).
* A symptom has several causes, and a cheap test that separates them: the ratio $B/B_\text{simple}$ for a loss that is
  worse at equal tokens, branches for a flat one, $|G|^2 + \operatorname{tr}\Sigma/B$ for a clip rate (10.7).
* Sayings from meetings become decisions once they are computed: the next doubling in place of a threshold, a unit in
  place of "8K", a finished run in place of day 2 (10.8).
* You read a brief, made a plan that keeps it, and know which of its numbers is worth an argument (10.9).

**Where this breaks.** The law of steps and tokens describes runs to *one* target with the rate tuned at every batch,
and $B_\text{crit}$ is rarely known within a factor of two; published definitions differ by more (10.3). The loss law
is extrapolated far beyond the runs it was fitted to. The planner knows data parallelism only: no tensor, pipeline or
context parallelism, which models beyond some tens of billions of parameters mostly use; one network of one speed;
equal layers of the GPT kind; no failures, restarts, evaluation or waiting for data, which take their share of every
long run. Its rates are first guesses by rules whose premises the larger batches leave. Prices change; they are
inputs. And what it calls the goal is a loss, not a useful model.

**Sources.** McCandlish et al. 2018 (arXiv 1812.06162): the law, the noise scale, table 1. Kaplan et al. 2020
(2001.08361); Hoffmann et al. 2022 (2203.15556; tables 1, with GPT-3 and Gopher, and 3); Besiroglu et al. 2024
(2404.10102): loss laws. Zhang et al. 2024 (2410.21676) and Merrill et al. 2025 (2505.23971): critical batches of
language models. Touvron et al. 2023 (2302.13971; Llama 2: 2307.09288); Chowdhery et al. 2022 (2204.02311): LLaMA and
its speed, utilisation. Narayanan et al. 2021 (2104.04473): operations of attention. Sardana et al. 2024 (2401.00448):
training and serving. NVIDIA's data sheets of A100 and H100: peaks, memory bandwidth. Muennighoff et al. 2023
(2305.16264): repeated data. The exercise with the corner: section 10.8 of a textbook on distributed machine learning.
The sayings and the table of FLOPs: part 8, on batch size and scaling laws, of a series on training for technical
leaders. The list of what to monitor: course notes on global batch size, of which symptoms 1 and 2 were two lines.

## What now?

This was the last lesson. Its three tools are meant for your own run, in this order. Put the *noise meter* of lesson
06 into your training step: in data parallelism it costs one number a step (9.6). Write a *brief* while a small run
goes on, with measured numbers wherever you can: the utilisation on one GPU, seconds of an all-reduce, the noise scale
along the run. Let the *planner* make a first plan from it, look at what binds, and then watch the run: at the first
day on which its tokens a step, clip rate or noise scale are not those of the plan, one of your numbers was wrong. You
now know how to find out which.
"""
