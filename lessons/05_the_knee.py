# %% [markdown]
r"""
# 05 · Where do more workers stop helping?

Twice the workers, twice the batch: half the steps? Up to some batch size, yes. Beyond it the extra workers burn
money, and whoever knows where that happens can save a large part of a budget. A textbook prints a table that is said
to show the place. This lesson reproduces the table to the last cell, looks for what it shows, and then builds an
experiment in which the place is real.

**You will** write a run of SGD that reproduces a published table; predict its cells by hand; test what made its bend,
and move the bend to any place you like; derive the law of steps against batch size; measure it with a learning rate
tuned for every batch, several seeds and an interval; and read claims about small and large batches critically.

**You need** lessons 03 and 04: the saturating rule, and the area under a warmup.

**Minutes** 90

**Points** 14
"""

# %%
from itertools import islice

import matplotlib.pyplot as plt
import numpy as np
from tqdm.auto import tqdm

from largebatch import demos
from largebatch.check import WrongAnswer, check, described
from largebatch.descent import crossing, epochs_to_target
from largebatch.knee import BATCHES, TARGETS, published_problem, published_table, tuned_sweep, uneven_problem
from largebatch.logistic import draw, sigmoid
from largebatch.quiz import check_choice

plt.style.use("largebatch.course")

# %% [markdown]
r"""
| symbol | in code | meaning | unit |
|---|---|---|---|
| $N$ | `num_examples` | examples in the data | examples |
| $B$ | `batch_size` | examples that one step averages over | examples |
| $\eta$, $W$ | `rate`, `warmup_steps` | learning rate (its peak, where it changes); length of the warmup | –, steps |
| $S$ | `steps` | optimizer steps until a target loss is reached | steps |
| $E = B\,S$ | `examples` | examples used until then | examples |
| $S_{\min},\ E_{\min}$ | `s_min`, `e_min` | the fewest steps, with an endless batch; the fewest examples, with a tiny one | steps, examples |
| $B_\text{crit} = E_{\min}/S_{\min}$ | `b_crit` | critical batch size, the knee | examples |
| $\Delta L_{\max}$, $B_\text{noise}$ | – | gain of the best step without noise; noise scale (lesson 03) | nats, examples |

## 5.1 A published table

The experiment comes from a textbook on distributed machine learning (section 10.8). Twenty thousand examples with 30
features each are drawn at random and given labels 0 or 1 by a coin whose bias depends on the features; logistic
regression has to find out how. The loss of one example with features $x$ and label $y$, at weights $w$, is
$\log(1+e^{z}) - y z$ with $z = x\cdot w$. Its derivative with respect to $z$ is $\sigma(z) - y$, where $\sigma(z) =
1/(1+e^{-z})$ is the predicted probability of a 1, so its gradient is $(\sigma(z) - y)\,x$, and a batch averages
these. The next cell compares that with a difference quotient.
"""

# %%
problem, _ = published_problem()


def batch_gradient(problem, rows, weights):
    """Return the gradient of the mean loss of these examples, shape (d,)."""
    residuals = sigmoid(problem.features[rows] @ weights) - problem.labels[rows]
    return residuals @ problem.features[rows] / len(rows)


weights, step = np.full(30, 0.1), np.eye(30)[0] * 1e-6
everything = np.arange(problem.num_examples)
by_difference = (problem.loss(weights + step) - problem.loss(weights - step)) / 2e-6
print(f"first component of the gradient: {batch_gradient(problem, everything, weights)[0]:.8f}")
print(f"by a difference of losses:       {by_difference:.8f}")

# %% [markdown]
r"""
The target is a loss 0.010 nats above the least possible one. Eight batch sizes are tried in two ways, each run from
$w = 0$:

* **fixed**: $\eta = 0.05$ for every batch;
* **scaled**: the linear rule, $\eta = 0.05 \cdot B/32$, with a warmup over the first $5\,B/32$ steps.

After each epoch, one pass over the shuffled examples, the loss is compared with the target; after 80 epochs a run is
given up. What is reported is the number of epochs, since an epoch costs the same computation whatever the batch.

## Exercise 5.1: `losses_by_epoch` (3 points, 12 minutes, core)

Write the run. To reproduce a table to the last cell, everything must be agreed on:

- `problem`: has `features` of shape $(N, d)$, `labels` of shape $(N,)$, `num_examples`, and `loss(weights)`
- start from zeros; in each epoch call `rng.permutation(problem.num_examples)` once and take batches of `batch_size`
  in that order; the last batch of an epoch may be smaller, is used, and is averaged over what it holds
- step $t = 0, 1, 2, \dots$, counted over all epochs, uses the rate $\eta \cdot (t+1)/W$ while $t < W$
  (`warmup_steps`), and $\eta$ from then on; $W = 0$ means no warmup
- returns the losses after each epoch, `num_epochs` of them, in nats; `batch_gradient` above may be used
- for the small problem of the first check, batches of 16 and rate 2.0 without warmup, the first is 0.5448

<details><summary>Hint 1 (click to open): the skeleton</summary>

A loop over epochs, in it a loop over `range(0, num_examples, batch_size)`. The step counter is set to 0 once, before
both.
</details>

<details><summary>Hint 2 (click to open): the rows of a batch</summary>

`order[start : start + batch_size]`; a slice that reaches over the end is simply shorter.
</details>
"""


# %% solution="losses_by_epoch"
def losses_by_epoch(problem, batch_size, rate, warmup_steps, num_epochs, rng):
    """Return the loss (nats) after each of num_epochs epochs of SGD from weights 0, shape (num_epochs,)."""
    ### BEGIN SOLUTION
    weights, step, losses = np.zeros(problem.features.shape[1]), 0, []
    for _ in range(num_epochs):
        order = rng.permutation(problem.num_examples)
        for start in range(0, problem.num_examples, batch_size):
            warmed = rate * (step + 1) / warmup_steps if step < warmup_steps else rate
            weights = weights - warmed * batch_gradient(problem, order[start : start + batch_size], weights)
            step += 1
        losses.append(problem.loss(weights))
    return losses
    ### END SOLUTION


# %% tests="losses_by_epoch_by_hand" points=1
# 50 examples with 3 features, batches of 16 (the fourth of an epoch holds 2), three epochs.
from largebatch.descent import epoch_losses as _epoch_losses  # under a name that no answer uses


def _expected(problem, batch_size, rate, warmup_steps, num_epochs, rng):
    return list(islice(_epoch_losses(problem, batch_size, rate, warmup_steps, rng), num_epochs))


_small = draw(np.random.default_rng(1), np.ones(3), 50)
check(
    losses_by_epoch(_small, 16, 2.0, 0, 3, np.random.default_rng(2)),
    _expected(_small, 16, 2.0, 0, 3, np.random.default_rng(2)),
    rtol=1e-5,
    unit="nats",
    what="no warmup",
    mistakes={
        "these begin with the loss before the first epoch; asked for are those after each": [
            np.log(2),
            *_expected(_small, 16, 2.0, 0, 2, np.random.default_rng(2)),
        ],
        "this is the loss of the last batch alone; asked for is the loss of all examples": [
            0.056769627,
            0.427682121,
            0.155579240,
        ],
        "the linear rule is applied in here; `rate` is the rate of this batch size already": _expected(
            _small, 16, 1.0, 0, 3, np.random.default_rng(2)
        ),
        "the last batch of an epoch, with 2 examples, is left out": [0.534974598, 0.518387048, 0.512415394],
        "the last batch holds 2 examples: average over these, not over 16": [0.530536878, 0.515811965, 0.510794598],
        "the examples are not shuffled": [0.548358830, 0.539690882, 0.538606561],
        "the examples are shuffled once; do it in every epoch": [0.544756253, 0.527523076, 0.523599409],
        "the weights are set back to zeros in every epoch": [0.544756253, 0.544811504, 0.513540839],
        "the gradients are summed over the batch; average them": [1.031485000, 2.037354557, 0.665548097],
        "this is the excess over the least loss; asked for is the loss itself": np.array(
            _expected(_small, 16, 2.0, 0, 3, np.random.default_rng(2))
        )
        - _small.least_loss,
        "these are means over the steps of an epoch; asked for is the loss after it": [
            0.561992895,
            0.522506990,
            0.512226482,
        ],
    },
)

# %% tests="losses_by_epoch_warmup" points=1
# The same with a warmup of 5 steps: it ends inside the second epoch.
check(
    losses_by_epoch(_small, 16, 2.0, 5, 3, np.random.default_rng(2)),
    _expected(_small, 16, 2.0, 5, 3, np.random.default_rng(2)),
    rtol=1e-5,
    unit="nats",
    what="warmup of 5 steps",
    mistakes={
        "the warmup is missing": _expected(_small, 16, 2.0, 0, 3, np.random.default_rng(2)),
        "the first step has rate 0: step t uses (t + 1) / W": [0.592394826, 0.518670012, 0.510293875],
        "the steps are counted from 0 again in every epoch": [0.574898262, 0.515266186, 0.512263639],
        "the ramp goes on after the warmup; from step W on the rate stays": [0.574898262, 0.536854034, 0.530179720],
        "this counts epochs; the warmup is given in steps": [0.599525632, 0.544788407, 0.514002878],
        "a constant rate during the warmup; it must rise from step to step": [0.599525632, 0.539832301, 0.509461682],
    },
)

# %% tests="losses_by_epoch_published" points=1
# Checked when you are graded: cells of the published table, and one batch that holds all examples.
### BEGIN HIDDEN TESTS
for _batch, _rate, _warmup in ((1024, 0.05 * 32, 160), (4096, 0.05, 0), (20_000, 2.0, 3)):
    _rngs = np.random.default_rng(5), np.random.default_rng(5)
    check(
        losses_by_epoch(problem, _batch, _rate, _warmup, 4, _rngs[0]),
        _expected(problem, _batch, _rate, _warmup, 4, _rngs[1]),
        rtol=1e-5,
        unit="nats",
        what=f"batch {_batch}, rate {_rate}, warmup {_warmup}",
    )
### END HIDDEN TESTS

# %% [markdown]
r"""
The course's own version of such a run, `largebatch.descent.epoch_losses`, does the same. `published_table` runs it
for the 16 cells, one after the other on one random stream, as in the textbook. Beside it stands what the book prints.
"""

# %%
from largebatch import descent

printed = {
    32: (2, 2), 64: (4, 2), 128: (8, 3), 256: (16, 3), 512: (31, 4), 1024: (61, 6), 2048: (None, 11), 4096: (None, 22)
}  # fmt: skip
table = {batch_size: cells for batch_size, *cells in published_table()}
print("batch   fixed   scaled   printed")
for batch_size, (fixed, scaled) in table.items():
    print(f"{batch_size:5d}   {fixed or '> 80':>5}   {scaled:6d}   {printed[batch_size]}")
print("cells that agree:", sum(a == b for size in table for a, b in zip(table[size], printed[size], strict=True)))

# %%
fig, axes = plt.subplots()
sizes = np.array(list(table))
for column, name in ((0, "fixed rate"), (1, "linear rule and warmup")):
    epochs = [table[size][column] or np.nan for size in sizes]
    axes.loglog(sizes, epochs, "o-", label=name)
axes.set(xlabel="batch size (examples)", ylabel="epochs to the target")
axes.set_xticks(sizes, labels=sizes)
axes.set_yticks([2, 5, 10, 20, 50], labels=[2, 5, 10, 20, 50])
axes.minorticks_off()
_ = axes.legend()

# %% [markdown]
r"""
**What you see.** All 16 cells agree. The scaled line rises little up to batch 512, from 2 epochs to 4, and then bends
upward: from 1024 on, each doubling of the batch doubles the epochs. The book reads the bend as *the critical batch
size*: the gradient, it says, is clean enough by then, and cleaning it further is of no use. Of the fixed line it says
that it *stalls* beyond 1024, for want of updates in an epoch.

The stalling is quickly tested. Let the two runs go on:
"""

# %%
target_loss = problem.least_loss + 0.010
for batch_size in (512, 1024, 2048, 4096):
    losses = [problem.loss(np.zeros(30))]
    for loss in descent.epoch_losses(problem, batch_size, 0.05, 0, np.random.default_rng(0)):
        losses.append(loss)
        if loss <= target_loss:
            break
    epochs, after_80 = len(losses) - 1, losses[min(80, len(losses) - 1)] - problem.least_loss
    steps = epochs * -(-problem.num_examples // batch_size)
    print(
        f"batch {batch_size}: {epochs:3d} epochs = {steps} steps; excess after 80 epochs, or at the target: {after_80:.4f} nats"
    )

# %% [markdown]
r"""
**What you see.** They did not stall: they were cut off. In *steps*, the fixed rate needs the same number whatever the
batch, about 1220; an epoch of larger batches simply has fewer of them. (The figure in the book shows steps that climb
for a fixed rate. It is the epochs that climb.)

The bend is what money depends on.

## 5.2 The same experiment without noise

If the bend shows at which batch the *noise* of the gradient stops mattering, it cannot be seen in an experiment that
has no noise at all. So repeat it with the exact gradient, averaged over all 20 000 examples, the same rates and the
same warmup. Count the steps, and divide by the steps that an epoch of batch size $B$ would have, $\lceil N/B\rceil$.
Before you run it: will the bend be gone, or sit further right, or stay?
"""


# %%
def steps_per_epoch(batch_size):
    """Return the steps of an epoch of 20 000 examples; the last may be smaller."""
    return -(-problem.num_examples // batch_size)


def steps_without_noise(rate, warmup_steps):
    """Return the steps to the target with the gradient of all examples."""
    weights, step = np.zeros(30), 0
    while problem.loss(weights) > target_loss:
        weights -= rate * min(1, (step + 1) / max(1, warmup_steps)) * problem.gradient(weights)
        step += 1
    return step


fixed_steps = steps_without_noise(0.05, 0)
sizes = tqdm(table, unit=" batch sizes", delay=1, leave=False)
noise_free = {size: (fixed_steps, steps_without_noise(0.05 * size / 32, 5 * size // 32)) for size in sizes}

# %%
print("batch   fixed, epochs   scaled, epochs (steps)   published")
for size, (fixed, scaled) in noise_free.items():
    print(
        f"{size:5d}  {fixed / steps_per_epoch(size):14.2f}   {scaled / steps_per_epoch(size):14.2f} ({scaled:5d})   {printed[size]}"
    )
agree = [
    (cell or 81) == min(81, -(-steps // steps_per_epoch(size)))
    for size in table
    for cell, steps in zip(printed[size], noise_free[size], strict=True)
]
print("cells that agree once rounded up to whole epochs, more than 80 left out:", sum(agree), "of", len(agree))

# %% [markdown]
r"""
**What you see.** Without any noise, 14 of the 16 cells come out, and the other two are off by one. The bend is there,
at the same place. So the table holds next to no information about noise, and no critical batch size can be read from
it: the reading fails, although every cell is right.

What makes the bend, then? Look at the steps in brackets: from 1024 on they no longer change. Where gradients change
slowly, what matters is the *sum of the rates*, as in lesson 04: many short steps go as far as few long ones. With the
fixed rate, the sum at the target is
"""

# %%
area = 0.05 * fixed_steps
print(f"sum of the rates until the target: {area:.1f}")
for rate in (0.2, 0.4, 0.8):
    print(f"  with rate {rate}: {rate * steps_without_noise(rate, 0):.1f}")

# %% [markdown]
r"""
Nearly constant: larger steps need a little less of it, so that a prediction from the sum may be a step off. Inside
the ramp, the sum after $n$ steps is (lesson 04)

$$
\sum_{t=0}^{n-1}\eta\,\frac{t+1}{W} = \eta\,\frac{n(n+1)}{2W}
\qquad\text{with}\quad \eta = 0.05\,\frac{B}{32},\quad W = 5\,\frac{B}{32}:\qquad
\frac{0.05\,B/32}{2\cdot 5\,B/32}\,n(n+1) = 0.005\,n(n+1) .
$$

**The batch size cancels.** A higher peak, but proportionally longer to get there.

## Exercise 5.2: `predicted_epochs` (2 points, 10 minutes, core)

Predict a cell of the scaled column from the sum of the rates alone, without running anything.

- `area`: the sum of the rates at which the target is reached, such as 60.7
- `batch_size`, `num_examples`: peak rate `0.05 * batch_size / 32`, warmup over `5 * batch_size // 32` steps, a
  multiple of 5, at least 5
- returns whole epochs: the steps rounded up, then the epochs rounded up; an epoch has $\lceil N/B\rceil$ steps
- for an area of 60.7 and batches of 1024 out of 20 000, 6

<details><summary>Hint 1 (click to open): two cases</summary>

Either the area is collected inside the ramp, or the whole ramp is used up and the rest is collected at the peak rate.
A loop that adds rate after rate until the area is reached needs no cases.
</details>

<details><summary>Hint 2 (click to open): rounding up whole numbers</summary>

`-(-a // b)` or `math.ceil(a / b)`. First steps, then epochs.
</details>
"""


# %% solution="predicted_epochs"
def predicted_epochs(area, batch_size, num_examples):
    """Return the whole epochs after which the sum of the rates has reached the area."""
    ### BEGIN SOLUTION
    peak, warmup_steps = 0.05 * batch_size / 32, 5 * batch_size // 32
    collected, steps = 0.0, 0
    while collected < area:
        steps += 1
        collected += peak * min(1, steps / warmup_steps)
    return -(-steps // -(-num_examples // batch_size))
    ### END SOLUTION


# %% tests="predicted_epochs_by_hand" points=1
# Batches of 4096 out of 20 000: the warmup lasts 640 steps, an epoch has 5.
check(
    predicted_epochs(60.7, 4096, 20_000),
    22,
    unit="epochs",
    mistakes={
        "this leaves out the warmup: at the full rate from the start it would take 10 steps": 2,
        "these are steps; an epoch has 5 of them here": 110,
        "this is the fixed rate of 0.05; here the rate grows with the batch": 243,
        "this waits until the warmup is over; the area is collected long before": 128,
        "this rounds down; the target is reached inside the last epoch": 21,
        "one step too many (the first n rates of the ramp add up to peak * n (n + 1) / 2 W), or an epoch of 4.88 steps; it has 5": 23,
        "an epoch has 5 steps here, the last of them with a smaller batch": 28,
    },
)
check(
    predicted_epochs(60.7, 256, 4096),
    11,
    unit="epochs",
    what="batches of 256 out of 4096: the ramp of 40 steps is used up",
    mistakes={
        "this rounds down, or leaves out the warmup: 172 steps of which 16 make an epoch are 10.75": 10,
        "whole epochs are asked for: round up": 172 / 16,
        "the ramp ends after 40 steps; from there on the rate stays": 7,
        "the ramp itself has collected 8.2 already; only the rest is collected at the peak": 12,
        "there are 4096 examples here": 3,
    },
)

# %% tests="predicted_epochs_table" points=1
# Checked when you are graded: the scaled column but for two cells, larger batches, other areas.
### BEGIN HIDDEN TESTS
for _size, _epochs in ((32, 2), (64, 2), (256, 3), (1024, 6), (2048, 11), (8192, 37), (20_000, 110)):
    check(predicted_epochs(60.7, _size, 20_000), _epochs, unit="epochs", what=f"batch {_size}")
check(predicted_epochs(6.07, 1024, 20_000), 2, unit="epochs", what="a tenth of the area, batch 1024")
check(predicted_epochs(60.7, 320, 1000), 37, unit="epochs", what="batches of 320 out of 1000 examples")
### END HIDDEN TESTS

# %% [markdown]
r"""
## 5.3 The confound

In the scaled column *two* things change from row to row: the batch, and the warmup. Whatever is seen may be due to
either: the warmup is a *confound*. What share of a run is warmup?
"""

# %%
for size, (_, steps) in noise_free.items():
    share = min(1, (5 * size // 32) / steps)
    reached = min(1, steps / (5 * size // 32))
    print(f"batch {size:4d}: {share:6.1%} of the steps are warmup; the rate gets to {reached:4.0%} of its peak")

# %% [markdown]
r"""
**What you see.** At batch 32 next to nothing, at 1024 and beyond the entire run, which ends at a fraction of the rate
that the linear rule asks for. To learn what the *batch* does, the warmup must not change with it, or at least not in
this way. Two controls: no warmup at all, and a warmup of one epoch, $\lceil N/B\rceil$ steps, for every batch. Three
seeds each, with the noise of real minibatches. Before you run it: what remains of the bend?
"""

# %%
warmups = {
    "5 B/32 steps": lambda size: 5 * size // 32,
    "one epoch": steps_per_epoch,
    "none": lambda size: 0,
}
controls = {
    name: np.array([
        [epochs_to_target(problem, target_loss, size, 0.05 * size / 32, warmup(size), 80, np.random.default_rng([seed, size]))
         for size in table] for seed in range(3)
    ])
    for name, warmup in warmups.items()
}  # fmt: skip
print("batch size             " + "".join(f"{size:>7d}" for size in table))
for name, epochs in controls.items():
    print(
        f"warmup {name:14s}  "
        + "".join(
            f"{f'{low}–{high}' if low < high else low:>7}"
            for low, high in zip(epochs.min(0), epochs.max(0), strict=True)
        )
    )

# %% [markdown]
r"""
**What you see.** With either control the bend is gone: two or three epochs for every batch up to 4096, with each of
the three seeds. The bend was made by the schedule. Nothing was wrong with a single number, only with what they were
taken to mean.

Whoever sets the warmup sets the bend.

## Exercise 5.3: `warmup_for_knee` (2 points, 8 minutes, core)

Make a "critical batch size" to order. In the experiment above let the warmup last $c\,B$ steps, rounded to whole
steps (the textbook has $c = 5/32$). Return the $c$ for which the bend lies at the batch that is asked for.

- `knee`: a batch size between 64 and 1024, in examples
- returns $c$, in steps of warmup for each example of the batch, such that the run takes **3 to 5** epochs at `knee`
  and **10 or more** at `4 * knee`
- many answers are right; for `knee` = 512 the textbook's 5/32 is one of them

<details><summary>Hint 1 (click to open): when does a run that never leaves the ramp end?</summary>

Its sum of rates after $n$ steps is $\eta\,n^2/(2W)$, nearly, with $\eta = 0.05\,B/32$ and $W = cB$. Again $B$
cancels: $n$ depends on $c$ only. The target needs 60.7.
</details>

<details><summary>Hint 2 (click to open): from steps to epochs</summary>

$n$ steps of batch $B$ are $nB/20\,000$ epochs. Ask for 3.5 at $B$ = `knee`, which rounds up to 4, and solve for $c$.
</details>
"""


# %% solution="warmup_for_knee"
def warmup_for_knee(knee):
    """Return the warmup steps for each example of the batch that put the bend of the table at batch size `knee`."""
    ### BEGIN SOLUTION
    steps = 3.5 * 20_000 / knee
    return 0.05 / 32 * steps**2 / (2 * 60.7)
    ### END SOLUTION


# %% tests="warmup_for_knee_runs" points=1
# Your warmup is run at the knee that is asked for, here 128, and at four times the batch.
def _epochs(warmup_per_example, batch_size):
    steps = round(float(warmup_per_example) * batch_size)
    rate, rng = 0.05 * batch_size / 32, np.random.default_rng(0)
    return epochs_to_target(problem, target_loss, batch_size, rate, steps, 80, rng) or 81


def _check_knee(size):
    wanted = f"3 to 5 epochs at batch {size}, 10 or more at {4 * size}"
    answer = warmup_for_knee(size)
    try:
        number = float(answer)
    except (TypeError, ValueError):
        number = -1.0
    if not 0 <= number < np.inf:
        raise WrongAnswer("one number of steps for each example of the batch, 0 or more", described(answer))
    at, beyond = _epochs(number, size), _epochs(number, 4 * size)
    shown = ["more than 80" if epochs > 80 else epochs for epochs in (at, beyond)]
    got = f"{shown[0]} epochs at batch {size}, {shown[1]} at {4 * size}"
    if at > 5:
        unit = "" if number < size / 4 else ". Is this W? Asked for is c = W / B, steps for each example of the batch"
        raise WrongAnswer(wanted, got, f"the warmup is too long: the bend lies at a smaller batch{unit}")
    if at < 3 or beyond < 10:
        raise WrongAnswer(wanted, got, "the warmup is too short: the bend lies at a larger batch")
    print("right:", got)


_check_knee(128)

# %% tests="warmup_for_knee_anywhere" points=1
# Checked when you are graded: a bend at 64, at 256 and at 1024.
### BEGIN HIDDEN TESTS
for _size in (64, 256, 1024):
    _check_knee(_size)
### END HIDDEN TESTS

# %% [markdown]
r"""
So where is the true knee of this problem? All 30 features are independent and equally strong. Their cloud has no
preferred direction, so that by symmetry the gradient at $w = 0$ can only point at the optimum, and *one* step of the
right length arrives:
"""

# %%
gradient = problem.gradient(np.zeros(30))
cosine = -gradient @ problem.optimum / np.linalg.norm(gradient) / np.linalg.norm(problem.optimum)
print(f"cosine between the first step and the way to the optimum: {cosine:.4f}")
for rate in (5, 9, 13, 17, 21):
    excess = problem.loss(-rate * gradient) - problem.least_loss
    print(f"  one step with rate {rate:2d}: {excess:.4f} nats above the least loss")

# %%
for rate in (0.05, 0.1, 0.2, 0.4, 0.8):
    after_one = [next(descent.epoch_losses(problem, 32, rate, 0, np.random.default_rng(seed))) for seed in range(4)]
    excess = np.array(after_one) - problem.least_loss
    print(f"batch 32, rate {rate:4.2f}: after one epoch {excess.min():.4f} to {excess.max():.4f} nats above it")

# %% [markdown]
r"""
**What you see.** With rate 13 a single full step ends well below the target of 0.010. So nothing keeps larger batches
from saving steps until only a step or two are left, at batches of some thousand; that is a floor, but not one to
learn from. And the base rate of 0.05, called tuned in the book, is far from it: with 0.2 even a batch of 32 has
arrived after the first epoch, for every seed. At such a small rate noise hardly shows, which is why the table could
be predicted without it. For a knee worth measuring we need a problem in which the way is long even without noise. And
we should know what curve to expect.

## 5.4 The law of the knee

In lesson 03, one step with the best rate lowered the expected loss by $\Delta L_{\max}/(1 + B_\text{noise}/B)$: less
than the $\Delta L_{\max}$ of a noise-free step by a factor that depends on the batch. Turn that around. To bring the
loss down by a small piece $\delta L$ takes

$$
\delta S = \frac{\delta L}{\Delta L_{\max}}\left(1 + \frac{B_\text{noise}}{B}\right)\ \text{steps.}
$$

Add up the pieces from the start to the target. Along the way $\Delta L_{\max}$ and $B_\text{noise}$ change, $B$ does
not. The premise: runs with different batches pass through the same places. Then

$$
S = \underbrace{\sum \frac{\delta L}{\Delta L_{\max}}}_{S_{\min}} + \frac1B
\underbrace{\sum B_\text{noise}\frac{\delta L}{\Delta L_{\max}}}_{E_{\min}}
= S_{\min} + \frac{E_{\min}}{B} = S_{\min}\left(1 + \frac{B_\text{crit}}{B}\right),
\qquad B_\text{crit} = \frac{E_{\min}}{S_{\min}} .
$$

An endless batch needs $S_{\min}$ steps. The examples, $E = BS = E_{\min}(1 + B/B_\text{crit})$, are fewest for a tiny
batch: $E_{\min}$. The ratio $B_\text{crit} = E_{\min}/S_{\min}$ is an average of $B_\text{noise}$ along the way, each
place weighted by the noise-free steps $\delta L/\Delta L_{\max}$ that it takes; which is why lesson 06 will predict
it from gradients (McCandlish et al. 2018). Take numbers:
"""

# %%
s_min, b_crit = 100, 256
fig, axes = plt.subplots()
sizes = 2.0 ** np.arange(2, 15)
steps = s_min * (1 + b_crit / sizes)
axes.loglog(sizes, steps, "o-", label="steps")
axes.loglog(sizes, sizes * steps, "s-", label="examples")
axes.loglog(sizes[:9], s_min * b_crit / sizes[:9], "k:", label="steps, if doubling the batch halved them")
axes.axvline(b_crit, color="0.6", lw=1)
axes.text(b_crit * 1.1, 6e5, "$B_{crit}$", color="0.4")
axes.set(xlabel="batch size (examples)", ylabel="steps or examples to the target", ylim=(1, 3e6))
_ = axes.legend(loc="lower left")

# %% [markdown]
r"""
**What you see.** A hyperbola, without a corner. Far below $B_\text{crit}$, doubling the batch halves the steps and
costs no examples; far above, it saves no steps and doubles the examples. *At* $B_\text{crit}$ both are twice what
they could be.

## Exercise 5.4: `steps_and_examples` (2 points, 4 minutes, warm-up)

- `s_min` (steps), `b_crit` (examples), `batch_size` (examples)
- returns `(steps, examples)` by the law, not rounded; for the picture above and a batch of 256, `(200, 51200)`

<details><summary>Hint 1 (click to open): where do I start?</summary>

With the steps, $S_{\min}(1 + B_\text{crit}/B)$.
</details>

<details><summary>Hint 2 (click to open): and the examples?</summary>

Every step uses `batch_size` of them.
</details>
"""


# %% solution="steps_and_examples"
def steps_and_examples(s_min, b_crit, batch_size):
    """Return the steps and the examples to the target."""
    ### BEGIN SOLUTION
    steps = s_min * (1 + b_crit / batch_size)
    return steps, steps * batch_size
    ### END SOLUTION


# %% tests="steps_and_examples_by_hand" points=1
# S_min = 1000 steps, B_crit = 2048 examples; batches far below, at and far above it.
check(
    steps_and_examples(1000, 2048, 8192),
    (1250, 10_240_000),
    what="steps, examples at batch 8192",
    mistakes={
        "the 1 in the bracket is missing: even an endless batch needs S_min steps": (250, 2_048_000),
        "the fraction is upside down: steps grow with B_crit / B": (5000, 40_960_000),
        "these are examples, steps; asked for are steps, examples": (10_240_000, 1250),
        "these are the fewest examples; a step uses batch_size of them": (1250, 2_048_000),
        "a step uses batch_size examples, not B_crit": (1250, 2_560_000),
        "each of the steps uses batch_size examples, not S_min of them only": (1250, 8_192_000),
        "a hard corner: beyond B_crit the steps go on falling, slowly": (1000, 8_192_000),
        "beyond B_crit the steps do not rise; the examples do": (4000, 32_768_000),
    },
)
check(
    steps_and_examples(1000, 2048, 2048),
    (2000, 4_096_000),
    what="steps, examples at B_crit",
    mistakes={"a hard corner: at B_crit the steps are still twice the fewest": (1000, 2_048_000)},
)
check(steps_and_examples(1000, 2048, 512), (5000, 2_560_000), what="steps, examples at batch 512")

# %% tests="steps_and_examples_law" points=1
# Checked when you are graded: doubling the batch at the knee makes a run 4/3 times faster; the hyperbola.
### BEGIN HIDDEN TESTS
_at, _doubled = steps_and_examples(10, 300, 300)[0], steps_and_examples(10, 300, 600)[0]
check(float(_at) / float(_doubled), 4 / 3, what="speedup of doubling the batch at B_crit")
for _batch in (1, 7, 4096):
    _steps, _examples = (float(value) for value in steps_and_examples(13.0, 220.0, _batch))
    _product = (_steps / 13 - 1) * (_examples / (13 * 220) - 1)
    check(_product, 1.0, what=f"(S/S_min - 1)(E/E_min - 1) at batch {_batch}", rtol=1e-4)
### END HIDDEN TESTS

# %% [markdown]
r"""
## 5.5 A problem with a knee

Give the features unequal strength: feature $i$ of 32 has variance $1/i$. Now some directions are steep and others
shallow, a rate that is safe in the steep ones is slow in the shallow ones, and the way is long even without noise.
"""

# %%
uneven = uneven_problem()
curvatures = np.linalg.eigvalsh(uneven.hessian(uneven.optimum))
gradient = uneven.gradient(np.zeros(32))
cosine = -gradient @ uneven.optimum / np.linalg.norm(gradient) / np.linalg.norm(uneven.optimum)
print(
    f"{uneven.num_examples} examples; curvature at the optimum from {curvatures[0]:.4f} to {curvatures[-1]:.4f}, {curvatures[-1] / curvatures[0]:.0f} times"
)
print(f"largest stable rate there, 2 / curvature: {2 / curvatures[-1]:.1f}; cosine of the first step: {cosine:.2f}")
print(f"loss at w = 0, above the least: {uneven.initial_excess:.4f} nats")

# %% [markdown]
r"""
What else must be different from the textbook's experiment, so that only the batch changes?

* **No warmup**, one constant rate for a whole run. (The law has the best rate at every step. No schedule is simpler
  to compare, but it is a difference to keep in mind.)
* **The rate is tuned for every batch size.** A rule would test the rule. (Shallue et al. 2019 do it so, on 35
  workloads.)
* **Batches are drawn with replacement**, so that there are no epochs and a batch of 4096 is not the whole data set.
* **Steps, not whole epochs**: the loss is looked at often, and the crossing interpolated.
* **Several seeds**, and an interval.

The target is a share of the initial excess, say 10 %: the loss has to come down nine tenths of the way.

Tuning means many runs: 14 rates, 11 batch sizes, 24 seeds. Two things make that quick and fair. Runs with different
rates use the *same* minibatches, so that they differ by nothing but the rate (*common random numbers*). And then
their weights can stand side by side, as the columns of one matrix, so that a single matrix product serves all of
them.

## Exercise 5.5: `descend` (2 points, 10 minutes, core)

Run SGD with many learning rates at once, all on the same minibatches.

- `problem`: has `features` $(N, d)$ and `labels` $(N,)$
- `batches`: the examples of each minibatch, whole numbers of shape (steps, $B$), the same example perhaps twice
- `rates`: learning rates, shape $(k,)$
- returns the weights after the last step, shape $(d, k)$, column $j$ with `rates[j]`, all from 0

<details><summary>Hint 1 (click to open): shapes</summary>

Features of a batch $(B, d)$ times weights $(d, k)$ are the $z$ of section 5.1, shape $(B, k)$. Residuals have the
same shape; the label of an example is the same for all columns: `labels[rows][:, None]`.
</details>

<details><summary>Hint 2 (click to open): the step</summary>

`features[rows].T @ residuals / B` has shape $(d, k)$. Times `rates`, which NumPy stretches over the rows, it is the
step of all runs. A loop over the rates around a loop over the steps is right, too, only slower.
</details>
"""


# %% solution="descend"
def descend(problem, batches, rates):
    """Return the weights, shape (d, k), after one SGD step for each row of batches, a column for each learning rate."""
    ### BEGIN SOLUTION
    weights = np.zeros((problem.features.shape[1], len(rates)))
    for rows in batches:
        residuals = sigmoid(problem.features[rows] @ weights) - problem.labels[rows][:, None]
        weights -= np.asarray(rates) * (problem.features[rows].T @ residuals / len(rows))
    return weights
    ### END SOLUTION


# %% tests="descend_by_hand" points=1
# Two examples, two features, two steps with batches of 3: example 1 is drawn twice, then three times.
_tiny = draw(np.random.default_rng(3), np.ones(2), 2)
_x, _y = _tiny.features, _tiny.labels


def _two_steps(rate, rows=((0, 1, 1), (1, 1, 1)), divide=3, sign=1.0, keep=True, label=slice(None)):
    weights = np.zeros(2)
    for chosen in map(np.array, rows):
        slope = (1 / (1 + np.exp(-_x[chosen] @ weights)) - _y[chosen[label]]) @ _x[chosen] / (divide or len(chosen))
        weights = keep * weights - sign * rate * slope
    return weights


def _columns(*rates, **mistake):
    return np.stack([_two_steps(rate, **mistake) for rate in rates], axis=1)


check(
    descend(_tiny, np.array([[0, 1, 1], [1, 1, 1]]), np.array([0.5, 2.0, 1.0])),
    _columns(0.5, 2.0, 1.0),
    what="weights after two steps, rates 0.5, 2 and 1",
    rtol=1e-5,
    mistakes={
        "the gradients are summed over the batch; divide by its size": _columns(0.5, 2.0, 1.0, divide=1),
        "divide by the size of the batch, not by the number of examples or of steps": _columns(0.5, 2.0, 1.0, divide=2),
        "an example that is drawn twice counts twice": _columns(0.5, 2.0, 1.0, rows=((0, 1), (1,)), divide=None),
        "these steps use all examples; use those of the batch": _columns(
            0.5, 2.0, 1.0, rows=((0, 1), (0, 1)), divide=2
        ),
        "the labels lie along the wrong axis: labels[rows][:, None]": np.stack(
            [_two_steps(rate, label=column) for column, rate in enumerate((0.5, 2.0, 1.0))], axis=1
        ),
        "all columns use the first rate": _columns(0.5, 0.5, 0.5),
        "the rates are swapped: column j belongs to rates[j]": _columns(1.0, 2.0, 0.5),
        "the weights went uphill: subtract the gradient": _columns(0.5, 2.0, 1.0, sign=-1.0),
        "the step starts again from 0: keep the weights": _columns(0.5, 2.0, 1.0, keep=False),
        "the weights are set back to 0 before every step": _columns(0.5, 2.0, 1.0, rows=((1, 1, 1),)),
    },
)

# %% tests="descend_common_random_numbers" points=1
# Checked when you are graded: a column does not depend on its neighbours, and equals a run by itself.
### BEGIN HIDDEN TESTS
_tenfold = draw(np.random.default_rng(4), np.ones(5), 10)  # ten examples only: batches repeat some
_batches = np.random.default_rng(9).integers(0, 10, (30, 8))
_rates = np.array([0.1, 1.0, 3.0])
_together = np.asarray(descend(_tenfold, _batches, _rates))
check(_together.shape, (5, 3), what="shape of the weights")
for _column, _rate in enumerate(_rates):
    _weights = np.zeros(5)
    for _rows in _batches:
        _features = _tenfold.features[_rows]
        _weights -= _rate / 8 * (1 / (1 + np.exp(-_features @ _weights)) - _tenfold.labels[_rows]) @ _features
    check(_together[:, _column], _weights, what=f"column of rate {_rate}", rtol=1e-4, atol=1e-6)
### END HIDDEN TESTS

# %% [markdown]
r"""
The course's engine, `largebatch.descent.walk`, does this for several seeds, too, and `tuned_sweep` does it for all
batch sizes. (Each sweep runs for one and a half times the steps that its best rate needs for the hardest target, 3 %
of the initial excess.) It takes some seconds.
"""

# %%
runs = tuned_sweep(uneven, min(TARGETS) * uneven.initial_excess, seed=0)
sweep = list(tqdm(runs, total=len(BATCHES), unit=" batch sizes", delay=1, leave=False))
num_runs = sum(curves.excess[0].size for curves in sweep)
print(f"{num_runs} runs; the longest has {max(curves.steps[-1] for curves in sweep)} steps")

# %% [markdown]
r"""
First look at the tuning. For each batch, how many steps does each rate need to come down to 10 %? A point is where
the *mean* curve of the 24 seeds crosses the target.
"""

# %%
excess = 0.1 * uneven.initial_excess
fig, axes = plt.subplots()
for size, curves in list(zip(BATCHES, sweep, strict=True))[1::2]:
    steps = curves.steps_to(excess)
    (line,) = axes.loglog(curves.rates, steps, "o-", ms=4, label=f"B = {size}")
    axes.plot(curves.rates[steps.argmin()], steps.min(), "o", ms=10, mfc="none", color=line.get_color())
axes.axvline(2 / curvatures[-1], color="0.6", lw=1)
axes.set(xlabel="learning rate", ylabel="steps to 10 % of the initial excess")
_ = axes.legend(loc="upper right", bbox_to_anchor=(0.97, 1))

# %% [markdown]
r"""
**What you see.** Too small a rate is slow, too large a one is noisy or unstable, and the best one (ringed) moves with
the batch: proportional to it at first, as in lesson 03, and then no further than a little below the grey line, the
largest stable rate at the optimum. (Each batch has its own 14 rates. Where a dot is missing, a small rate was cut
off, since the sweep of a batch ends at one and a half times the steps of its best rate, and a large one never gets
there.) A sweep with one rate for all batches, or with a rule, would have measured the rate.

Now the best of each column:
"""

# %%
batches = np.array(BATCHES)
best = np.array([curves.steps_to(excess).min() for curves in sweep])
best_rates = [curves.rates[curves.steps_to(excess).argmin()] for curves in sweep]
print("batch    best rate   steps   examples")
for size, rate, steps in zip(batches, best_rates, best, strict=True):
    print(f"{size:5d} {rate:11.2f} {steps:8.1f} {size * steps:9.0f}")

# %% [markdown]
r"""
**What you see.** At first the steps roughly halve with every doubling, and the examples stay nearly the same; in the
end the steps stay nearly the same and the examples double. In between is the knee. (The rates of a batch are a factor
of 1.4 apart. Where the best one falls between two of them, that alone costs some steps: the bump at 1024.) Where
exactly the knee lies is a matter of the law: fit it.

## Exercise 5.6: `fit_knee` (2 points, 12 minutes, core)

Fit $S = S_{\min}(1 + B_\text{crit}/B)$ to measured steps.

- `batch_sizes` (examples), `steps`: shape $(n,)$, $n \ge 3$
- returns `(s_min, b_crit)`, positive, with the least sum of squares of $\log S - \log\left(S_{\min}(1 +
  B_\text{crit}/B)\right)$. In logarithms, because the error of a measured step count is a share of it, not a number
  of steps.
- within 1 % is right; for batches of 1, 10 and 100 and 22, 4 and 2.2 steps, `(2, 10)`
- knees from 1 to 100 000 examples must be found

<details><summary>Hint 1 (click to open): one unknown less</summary>

For a given $B_\text{crit}$ the best $\log S_{\min}$ is the mean of $\log S - \log(1 + B_\text{crit}/B)$. So only
$B_\text{crit}$ has to be searched for.
</details>

<details><summary>Hint 2 (click to open): a search that cannot fail</summary>

Try many candidates: `np.geomspace(0.1, 1e6, 20_000)` is spaced finely enough. For each, compute the sum of squares
that is left; take the candidate with the smallest.
</details>
"""


# %% solution="fit_knee"
def fit_knee(batch_sizes, steps):
    """Return (s_min, b_crit) of the least-squares fit of the law in logarithms."""
    ### BEGIN SOLUTION
    candidates = np.geomspace(0.1, 1e6, 20_000)[:, None]
    left = np.log(steps) - np.log1p(candidates / np.asarray(batch_sizes))
    best = left.var(axis=1).argmin()
    return np.exp(left[best].mean()), candidates[best, 0]
    ### END SOLUTION


# %% tests="fit_knee_by_hand" points=1
# Steps that follow the law, and then the same with one of them measured 30 % too high.
from largebatch.knee import fit as _fit  # under a name that no answer uses

_sizes = np.array([4, 16, 64, 256, 1024])
_steps = 50 * (1 + 100 / _sizes)
check(
    fit_knee(_sizes, _steps),
    (50, 100),
    what="s_min, b_crit",
    rtol=0.01,
    mistakes={
        "these are b_crit, s_min; asked for are s_min, b_crit": (100, 50),
        "this is E_min where B_crit = E_min / S_min is asked for": (50, 5000),
        "S_min is what an endless batch needs; the largest batch here needs more": (_steps[-1], 100),
        "S_min is fitted, too; it is not the smallest of the measured steps": (_steps[-1], 88.47),
        "this is the logarithm of S_min": (np.log(50), 100),
    },
)
_bent = _steps * np.array([1, 1, 1, 1, 1.3])
_inverse, _weighted = np.polyfit(1 / _sizes, _bent, 1), np.polyfit(1 / _sizes, _bent, 1, w=1 / _bent)
_examples = np.polyfit(_sizes, _sizes * _bent, 1)
check(
    fit_knee(_sizes, _bent),
    [float(value) for value in _fit(_sizes, _bent)],
    what="s_min, b_crit with one bad point",
    rtol=0.01,
    mistakes={
        "a line through S against 1/B: least squares in steps, where the smallest batch outvotes all others": (
            _inverse[1],
            _inverse[0] / _inverse[1],
        ),
        "a line through E = B S against B: least squares in examples, where the largest batch outvotes all others": (
            _examples[0],
            _examples[1] / _examples[0],
        ),
        "this weights by 1/S, which is close; asked for are least squares of the logarithms": (
            _weighted[1],
            _weighted[0] / _weighted[1],
        ),
        "this uses the smallest and the largest batch only; each point counts": (
            _two := (_bent[-1] * 1024 - _bent[0] * 4) / 1020,
            (_bent[0] - _two) * 4 / _two,
        ),
    },
)

# %% tests="fit_knee_properties" points=1
# Checked when you are graded: other knees, units, noisy steps.
### BEGIN HIDDEN TESTS
for _s_min, _b_crit in ((3.0, 1.5), (1000.0, 2048.0), (20.0, 90_000.0)):
    _wide = np.geomspace(_b_crit / 30, _b_crit * 30, 9)
    check(fit_knee(_wide, _s_min * (1 + _b_crit / _wide)), (_s_min, _b_crit), what="s_min, b_crit", rtol=0.01)
_noisy = 13 * (1 + 220 / batches) * np.exp(0.1 * np.random.default_rng(3).standard_normal(11))
_fitted = [float(value) for value in _fit(batches, _noisy)]
check(fit_knee(batches, _noisy), _fitted, what="s_min, b_crit of noisy steps", rtol=0.01)
check(fit_knee(batches[::-1], _noisy[::-1]), _fitted, what="the same, largest batch first", rtol=0.01)
check(fit_knee(batches, 7 * _noisy), [7 * _fitted[0], _fitted[1]], what="seven times the steps", rtol=0.01)
check(
    fit_knee([10, 100, 1000], [30, 12, 10]),
    [float(v) for v in _fit([10, 100, 1000], [30, 12, 10])],
    what="lists",
    rtol=0.01,
)
### END HIDDEN TESTS

# %% [markdown]
r"""
How sure is the result? Other seeds would have given other step counts. The *bootstrap* imitates that: draw 24 of the
24 seeds with replacement, average their curves, tune the rate again, fit again; 400 times. How far the fitted knees
stray from the value tells how far the value may stray from the truth, and to the *other* side: where resampled knees
come out too small, the value itself must be suspected of being too small. So the middle 95 % of their ratios to the
value, mirrored, are the interval. `largebatch.knee.knee` does all this. (In the picture below, the grey lines are the
laws of 60 such draws, the orange one is the fit, and the blue band is the interval.)
"""

# %%
from largebatch import knee

found = knee.knee(uneven, sweep, BATCHES, 0.1, seed=0)
print(f"S_min  = {found.s_min:.1f} steps")
print(f"E_min  = {found.e_min:.0f} examples")
print(f"B_crit = {found.b_crit:.0f} examples, 95 % interval {found.b_crit_low:.0f} to {found.b_crit_high:.0f}")
print("measured / law:", *(f"{ratio:.2f}" for ratio in best / (found.s_min * (1 + found.b_crit / batches))))

# %%
rng, sizes = np.random.default_rng(0), np.geomspace(3, 6000, 100)
fig, panels = plt.subplots(1, 2, figsize=(9, 3.6))
for _ in range(60):
    picks = rng.integers(0, 24, 24)
    resampled = [crossing(c.steps, c.excess[:, picks].mean(axis=1), excess).min() for c in sweep]
    s_min, b_crit = knee.fit(batches, resampled)
    panels[0].loglog(sizes, s_min * (1 + b_crit / sizes), color="0.85", lw=1)
    panels[1].loglog(sizes, s_min * (sizes + b_crit), color="0.85", lw=1)
panels[0].loglog(batches, best, "o", zorder=3)
panels[1].loglog(batches, batches * best, "o", zorder=3)
for axes, name, least in ((panels[0], "steps", found.s_min), (panels[1], "examples", found.e_min)):
    axes.axvline(found.b_crit, color="0.4", lw=1)
    axes.axvspan(found.b_crit_low, found.b_crit_high, color="C0", alpha=0.15, lw=0)
    axes.axhline(least, color="C1", lw=1, ls=":")
    law = least * (1 + (found.b_crit / sizes if name == "steps" else sizes / found.b_crit))
    axes.loglog(sizes, law, color="C1", lw=1.2)
    axes.set(xlabel="batch size (examples)", ylabel=f"{name} to 10 % of the initial excess")
panels[0].set_ylim(9, 1500)
panels[1].set_ylim(2e3, 1e5)
panels[0].text(4, found.s_min * 1.05, "$S_{min}$", color="C1", va="bottom")
panels[1].text(sizes[-1], found.e_min * 0.95, "$E_{min}$", color="C1", va="top", ha="right")
panels[1].text(found.b_crit * 0.75, 4e4, "$B_{crit}$", color="0.4", ha="right")
fig.tight_layout()

# %% [markdown]
r"""
**What you see.** A knee that no schedule made. How far can it be trusted? The interval reflects the seeds of the
minibatches, and even there it is rather too short: in 30 repetitions with other seeds, such intervals held the value
of very many seeds in about four of five (`benchmarks/intervals.py`). It knows nothing of the law: the measured steps
bend more sharply than the hyperbola (below it around the knee, above it at both ends). Nor of the choice of problem:
another draw has another knee. So quote all three numbers, and do not trust the second digit. And it is lopsided, with
reason: the mean of only 24 runs is itself noisy and dips below the target too early, most at small batches; and the
best of 14 noisy results looks better than it is. Both make the fitted knee too small, the more so the fewer the
seeds.

## 5.6 The knee of what?

A critical batch size belongs to a target. The same runs, five targets. Before you run it: does a harder target move
the knee to larger batches, or to smaller ones?
"""

# %%
print("target    S_min   E_min   B_crit   95 % interval")
knees = [knee.knee(uneven, sweep, BATCHES, target, seed=0) for target in TARGETS]
for each in knees:
    print(
        f"{each.target:5.0%} {each.s_min:9.1f} {each.e_min:7.0f} {each.b_crit:8.0f}   {each.b_crit_low:.0f} to {each.b_crit_high:.0f}"
    )

# %% [markdown]
r"""
**What you see.** On this problem, a target ten times harder moves the knee to a batch about six times as large.
$S_{\min}$ grows a few times, $E_{\min}$ twenty times: close to the optimum the gradient fades and its noise does not,
so that noise is what remains to be averaged away. Language models show the same as their loss falls (Kaplan et al.
2020), which is an argument for a batch that grows on the way (Merrill et al. 2025).

It also belongs to a *definition*. "Steps to the target" was: average the loss over seeds, then see where the mean
crosses. One may as well let each run cross by itself, and then average the steps:
"""

# %%
print("target   B_crit, crossing of the mean   B_crit, mean of the crossings")
for each in knees:
    level = each.target * uneven.initial_excess
    first_passage = []
    for curves in sweep:
        own = np.array([crossing(curves.steps, curves.excess[:, run], level) for run in range(24)])
        first_passage.append(own.mean(axis=0).min())
    print(f"{each.target:5.0%} {each.b_crit:23.0f} {knee.fit(batches, first_passage)[1]:30.0f}")

# %% [markdown]
r"""
**What you see.** The second is lower by about 30 %, on identical runs. A noisy run dips below the target before its
mean does, and the more often one looks, the earlier; small batches are noisiest and gain most. Neither is wrong. The
law is about the expected loss, so the mean is what it describes; but whoever compares two published numbers must ask
for the definition first. (In language modelling, one group calls critical the batch that costs 20 % more steps than
perfect scaling, Zhang et al. 2024; another the largest one whose loss stays within a tolerance, Merrill et al. 2025.)

Outside the notebook, `python -m largebatch.knee measured` prints the table above, `--seed 1` for other minibatches;
its last column, the noise scale near the knee, is the subject of lesson 06.

**Try it.** The demo runs SGD on this problem while you watch: first a coarse answer, after a moment a finer one.
Predict, then go through the settings: a harder target; noise in the labels; the linear rule in place of tuning; the
textbook's warmup with each of the three rules. Judge by the fine answer.
"""

# %%
demos.knee()

# %% [markdown]
r"""
**You should have seen** a knee that moves right when the target gets harder or the labels noisier. The linear rule
works up to a point and then never arrives (triangles): its rate gets unstable. (With the textbook's warmup it arrives
again at 4096: the run is over before the warmup is, at a harmless rate.) The textbook's warmup, *5 steps × B/32*,
makes a knee of its own: with a tuned rate it pulls the knee to less than half the batch, and with the fixed rate the
steps even *rise*. A warmup of one epoch costs small batches, which could do without, and so pushes the knee to the
right. The experiment decides what the knee is a knee of.

## 5.7 Small or large? It depends on the budget

Three people look at the same sweep, each with a budget of their own, and for each batch size at the best rate that
the budget allows for. The first may use 8192 examples. The second may take 16 steps. The third has 0.8 seconds on a
machine whose step takes 10 ms plus 0.1 ms for each example. (Fractions of a step are interpolated; the loss is the
mean over the seeds, at the best of 14 rates.)
"""

# %%
budgets = {
    "8192 examples": lambda size: 8192 / size,
    "16 steps": lambda size: 16 + 0 * size,
    "0.8 seconds": lambda size: 0.8 / (0.010 + 0.0001 * size),
}


def best_excess(curves, num_steps):
    """Return the least seed-mean excess (nats) over the rates after so many steps."""
    means = curves.excess.mean(axis=1)
    return min(np.exp(np.interp(num_steps, curves.steps, np.log(column))) for column in means.T)


outcome = {
    name: [best_excess(curves, steps(size)) for size, curves in zip(batches, sweep, strict=True)]
    for name, steps in budgets.items()
}
fig, panels = plt.subplots(1, 3, figsize=(9, 3.2), sharey=True)
for axes, (name, excesses) in zip(panels, outcome.items(), strict=True):
    axes.loglog(batches, excesses, "o-")
    axes.plot(batches[np.argmin(excesses)], min(excesses), "o", ms=12, mfc="none", color="C1")
    axes.set(title=name, xlabel="batch size (examples)")
panels[0].set_ylabel("loss above the optimum (nats)")
fig.tight_layout()
for name, excesses in outcome.items():
    print(f"{name:14s} best batch {batches[np.argmin(excesses)]:5d}")

# %% [markdown]
r"""
**What you see.** One sweep, three conclusions. With a budget of examples (or epochs) small batches win, those up to
about 128 nearly alike (which of them is ringed is chance), and large ones look bad: they hardly get to take a step.
With a budget of steps, large batches win, with less and less to gain. With a budget of time the best batch lies in
between, and where depends on the seconds that a step and an example take. None of them is a property of large batches
as such. When you read that large batches "train worse", look for the budget first.

By the law, what doubling the batch buys at constant time for a step (weak scaling, free synchronisation) is $(1 +
B_\text{crit}/B)\,/\,(1 + B_\text{crit}/2B)$:
"""

# %%
for multiple in (1 / 8, 1 / 2, 1, 2, 8):
    print(f"from {multiple:5.3f} B_crit: {(1 + 1 / multiple) / (1 + 1 / (2 * multiple)):.2f} times faster")

# %% [markdown]
r"""
**What you see.** No wall at $B_\text{crit}$. Doubling from there still buys a factor of 1.33 in time, for twice the
workers. Whether that is worth it is a question of prices (lesson 10). And more workers need not mean a larger batch:
they can share the same one, as long as the communication can keep up (strong scaling, lesson 01).

### Sharp minima, and whether large batches generalise worse

All of the above is about the *training* loss. Another claim is about new data: large batches are said to settle in
*sharp* minima, where the loss rises steeply to all sides, and small ones in *flat* minima that carry over better
(Keskar et al. 2017). What became of it?

* **Sharpness depends on the parametrisation** (Dinh et al. 2017). The smallest case: a network with two weights that
  predicts $u v x$, fitted to $y = x$. Both minima below compute the same function of $x$. The curvature of the loss
  $\frac12(uv-1)^2$ there is the outer product of $(v, u)$ with itself, and its largest eigenvalue is $u^2 + v^2$:
"""

# %%
for u, v in ((1.0, 1.0), (10.0, 0.1)):
    hessian = np.outer((v, u), (v, u))
    print(
        f"u = {u:4.1f}, v = {v:3.1f}: predicts {u * v:.1f} x; largest curvature {np.linalg.eigvalsh(hessian)[-1]:.2f}"
    )

# %% [markdown]
r"""
* **The budget again.** At a fixed number of epochs, large batches take fewer steps. Hoffer et al. (2017) closed the
  gap in accuracy with as many *steps* as the small batch, a scaled rate, and batch normalisation over small groups;
  Goyal et al. (2017) saw none up to batches of 8192 with a scaled rate and warmup; Shallue et al. (2019) found no
  sign that a larger batch costs accuracy on new data, once the rate was tuned for every batch and the steps were not
  cut short.
* **Not settled.** Smith, Elsen and De (2020) report tasks where very large batches do end with a lower test accuracy
  at the same number of steps, tuned.
* **Often moot.** A language model that sees every text once has no gap to speak of between training and new data: its
  training loss *is* measured on new data.

So the careful sentence is: at equal epochs large batches reach a worse loss because they take fewer steps; whether
the noise of small ones helps beyond that depends on the task. And on examples alone the law is clear: for the *same*
loss, small batches need the fewest. (Course notes that list slow progress per example among the drawbacks of small
batches have it the wrong way round.)

## Exercise 5.7: `quiz_knee` (1 point, 5 minutes, core)

Which statements hold? By the law of the knee, where it says nothing else. Answer with a set of letters.

- **A** At $B = B_\text{crit}$ a run needs twice the fewest steps and twice the fewest examples.
- **B** Beyond $B_\text{crit}$, a larger batch needs more steps.
- **C** To come down to the same loss, a small batch needs more examples than a large one.
- **D** From $B_\text{crit}$ on, more workers cannot shorten a run any further.
- **E** In the published table, all runs at the fixed rate need nearly the same number of steps.
- **F** That large batches end at a higher loss after the same number of epochs shows that they generalise worse.
- **G** A bend in a curve of epochs against batch size can be made by the warmup alone.
- **H** Two critical batch sizes measured on the same runs can differ by a third, and both be right.
"""

# %% solution="quiz_knee"
### BEGIN SOLUTION answer_quiz_knee = set()  # for example {"A", "B"}
answer_quiz_knee = {"A", "E", "G", "H"}
### END SOLUTION

# %% tests="quiz_knee_choice" points=1
# The verdict on each of your letters, with the reason.
check_choice("quiz_knee", answer_quiz_knee)

# %% [markdown]
r"""
## Recap

* You reproduced a published table, and predicted it from the sum of the learning rates: it holds no information about
  gradient noise. Its bend is made by a warmup that grows with the batch, and you moved it at will.
* Runs that were said to stall had been cut off. At a fixed rate the *steps* do not depend on the batch.
* From the best step of lesson 03 follows $S = S_{\min}(1 + B_\text{crit}/B)$ and $E = E_{\min}(1 + B/B_\text{crit})$:
  at the knee both are twice their least.
* A knee is measured with the rate tuned for every batch, no confound, steps and examples, several seeds, an
  interval. It moves with the target; the definition of the crossing alone changes it by up to a third.
* The same sweep favours small, large or middling batches, depending on the budget.

**Where this breaks.** The law assumes that all batches pass through the same places and that each step has the best
rate; our runs keep one rate throughout. Its $B_\text{crit}$ is for plain SGD: momentum and Adam move it (lesson 07).
A quadratic bowl is not a network, and measurements on language models suggest that the knee grows mainly with the
amount of data (Zhang et al. 2024). What remains open here: can the knee be known *before* the sweep? That is lesson
06.

**Sources.** The table: section 10.8, *Large-Batch Training and Learning-Rate Scaling*, Output 10.8.1, of a textbook
on distributed machine learning. McCandlish et al. 2018 (arXiv 1812.06162) for the law; Shallue et al. 2019
(1811.03600) for tuning at every batch size and for the budgets; Kaplan et al. 2020 (2001.08361) for the growth with
falling loss; Zhang et al. 2024 (2410.21676) and Merrill et al. 2025 (2505.23971) for the two other definitions;
Keskar et al. 2017 (1609.04836), Dinh et al. 2017 (1703.04933), Hoffer et al. 2017 (1705.08741), Goyal et al. 2017
(1706.02677), Smith, Elsen and De 2020 (2006.15081) on generalisation.
"""
