# %% [markdown]
r"""
# 04 · Why start slowly, and for how long?

Large-batch recipes begin with *warmup*: the learning rate starts small and grows to its peak. Course notes call it
mandatory and say that without it a run often diverges. The paper from which they take their rule measured something
else (section 4.1), and a warmup of the wrong length can take up the whole run (section 4.3). This lesson asks what
warmup is, what it costs, what it buys, and measures all three.

**You will** define gradual and constant warmup step by step; compute the area under a rate and say why it matters;
translate a warmup between steps, epochs and examples; keep momentum right while the rate changes; wire PyTorch's
schedulers and repair a set-up with four faults; and measure how much larger a peak rate becomes usable, and when it
does not.

**You need** lessons 01 to 03; from lesson 03 the linear rule and the limit $2/\lambda$.

**Minutes** 110

**Points** 15
"""

# %%
import math

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch.optim.lr_scheduler import LambdaLR, LinearLR
from tqdm.auto import tqdm

from largebatch import demos
from largebatch.check import WrongAnswer, check
from largebatch.quiz import check_choice

plt.style.use("largebatch.course")
torch.set_num_threads(1)  # for tensors as small as these, several threads only wait for each other

# %% [markdown]
r"""
| symbol | in code | meaning | unit |
|---|---|---|---|
| $t$ | `step` | optimizer step, counted from 0 | – |
| $\eta_t$ | `rate` | learning rate of step $t$ | 1 / curvature |
| $\eta_\text{peak}$ | `peak_rate` | rate at the end of the warmup | 1 / curvature |
| $W$ | `warmup_steps` | steps of the warmup | – |
| $A(n)$ | `area` | sum of the rates of the first $n$ steps | 1 / curvature |
| $B$, $B_0$ | `global_batch`, `reference_batch` | examples in a step; in a step of the run that the rate was tuned for | examples |
| $\lambda$ | `curvature` | largest second derivative of the loss in any direction (top eigenvalue of the Hessian) | loss / weight² |
| $m$ | `momentum` | share of the momentum buffer that survives a step | – |

## 4.1 Two ways to start slowly

*Gradual* warmup raises the rate by the same amount in each of the first $W$ steps. Counting steps from 0,

$$
\eta_t = \eta_\text{peak}\,\frac{t+1}{W}\ \text{ for } t < W, \qquad \eta_t = \eta_\text{peak}\ \text{ for } t \ge W .
$$

The first step has the rate $\eta_\text{peak}/W$, not zero, and step $W-1$ is the first at the peak. *Constant* warmup
uses one small rate for $W$ steps and then jumps to the peak.

**Smallest case.** $W = 4$, a peak of 1:
"""

# %%
gradual, constant = [1 / 4, 2 / 4, 3 / 4, 1, 1, 1, 1], [1 / 4] * 4 + [1] * 3
for name, rates in (("gradual", gradual), ("constant", constant)):
    print(f"{name:8s}", *(f"{rate:5.2f}" for rate in rates))

# %% [markdown]
r"""
Goyal et al. 2017 trained ResNet-50 on ImageNet with batches of 8192 at a rate of 3.2, 32 times that of the baseline
with batches of 256, and tried all three ways to start. Their validation errors are printed as mean ± standard
deviation of five runs; the last column is the difference to the baseline ± its standard error.
"""

# %%
errors_in_print = {
    "baseline, B = 256": (23.60, 0.12),
    "no warmup": (24.84, 0.37),
    "constant": (25.88, 0.56),
    "gradual": (23.74, 0.09),
}
baseline, baseline_spread = errors_in_print["baseline, B = 256"]
for name, (error, spread) in errors_in_print.items():
    standard_error = np.hypot(spread, baseline_spread) / 5**0.5
    print(f"{name:18s} {error:.2f} ± {spread:.2f} %", end="")
    print("" if error == baseline else f"   above the baseline by {error - baseline:.2f} ± {standard_error:.2f}")

# %% [markdown]
r"""
**What you see.** Without warmup the result is worse, by more than the scatter of the runs; 24.84 ± 0.37 % leaves no
room for a diverged run. Constant warmup ended above no warmup, and gradual warmup is close to the baseline. So the
source supports "gradual warmup helps, here by one percentage point", and neither "mandatory" nor "often diverges".
(Training does fail without it elsewhere, for example with Adam in transformers that have a layer norm *after* each
residual addition: Xiong et al. 2020.)

## Exercise 4.1: `warmup_rate` (2 points, 5 minutes, warm-up)

Return the rate of one step under gradual warmup.

- `step`: counted from 0; `peak_rate`; `warmup_steps`: whole number, 0 means no warmup
- returns the rate that this step uses; for step 2 of a warmup of 8 steps to a peak of 0.4, 0.15

<details><summary>Hint 1 (click to open): how many increments has step t received?</summary>

Each is `peak_rate / warmup_steps`, and step 0 already has one.
</details>

<details><summary>Hint 2 (click to open): how do I stop at the peak?</summary>

`if step < warmup_steps` decides. With no warmup the condition is never true, so nothing is divided by 0.
</details>
"""


# %% solution="warmup_rate"
def warmup_rate(step, peak_rate, warmup_steps):
    """Return the learning rate of a step, counted from 0, under gradual warmup."""
    ### BEGIN SOLUTION
    if step < warmup_steps:
        return peak_rate * (step + 1) / warmup_steps
    return peak_rate
    ### END SOLUTION


# %% tests="warmup_rate_by_hand" points=1
# A warmup of 10 steps to a peak of 0.5: the rates of steps 0, 4, 9, 10 and 30.
check(
    [warmup_rate(_step, 0.5, 10) for _step in (0, 4, 9, 10, 30)],
    [0.05, 0.25, 0.5, 0.5, 0.5],
    what="rates of steps 0, 4, 9, 10 and 30",
    mistakes={
        "step 0 has a rate of 0: it computes a gradient and does not move. Steps are counted from 0": [
            0,
            0.2,
            0.45,
            0.5,
            0.5,
        ],
        "the ramp does not stop at the peak": [0.05, 0.25, 0.5, 0.55, 1.55],
        "step 0 has a rate of 0, and the ramp does not stop at the peak": [0, 0.2, 0.45, 0.5, 1.5],
        "the ramp runs from 0 in W - 1 increments; here it has W, and step 0 has received one": [
            0,
            0.5 * 4 / 9,
            0.5,
            0.5,
            0.5,
        ],
        "step W lies past the ramp: `<`, not `<=`": [0.05, 0.25, 0.5, 0.55, 0.5],
        "this is constant warmup: one small rate, then a jump": [0.05, 0.05, 0.05, 0.5, 0.5],
        "the ramp has W + 1 increments: step W - 1 is the first at the peak": [0.5 / 11, 2.5 / 11, 5 / 11, 0.5, 0.5],
        "this is the factor; multiply it by the peak rate": [0.1, 0.5, 1.0, 1.0, 1.0],
        "there is no ramp": [0.5] * 5,
    },
)
check(warmup_rate(3, 0.5, 0), 0.5, what="rate of step 3 without warmup")

# %% tests="warmup_rate_properties" points=1
# Checked when you are graded: no warmup, a warmup of one step, equal increments, and the peak ever
# after.
### BEGIN HIDDEN TESTS
check(warmup_rate(2, 0.4, 8), 0.15, what="the example of the text")
check([warmup_rate(_step, 0.3, 0) for _step in (0, 1, 5)], [0.3] * 3, what="no warmup")
check([warmup_rate(_step, 0.3, 1) for _step in (0, 1, 5)], [0.3] * 3, what="a warmup of one step")
_rates = np.array([float(warmup_rate(_step, 3.2, 782)) for _step in range(1000)])
check(_rates[:782], 3.2 * np.arange(1, 783) / 782, what="rates inside the ramp, which rise by equal increments")
check(_rates[781:], np.full(219, 3.2), what="the peak from step W - 1 on")
### END HIDDEN TESTS

# %% [markdown]
r"""
## 4.2 The area under the rate

What does a ramp cost? Take the simplest loss, $L = \frac12\lambda w^2$ with one weight and no noise. Its gradient is
$\lambda w$, so step $t$ gives $w_{t+1} = (1 - \eta_t\lambda)\,w_t$, and after $n$ steps

$$
\frac{w_n}{w_0} = \prod_{t=0}^{n-1} (1 - \eta_t\lambda), \qquad
\ln\frac{w_n}{w_0} = \sum_{t=0}^{n-1}\ln(1-\eta_t\lambda) = -\lambda\sum_{t=0}^{n-1}\eta_t - \frac{\lambda^2}{2}\sum_{t=0}^{n-1}\eta_t^2 - \dots
$$

If every $\eta_t\lambda$ is small, the first sum rules: $w_n \approx w_0\, e^{-\lambda A(n)}$ with $A(n) =
\sum_{t<n}\eta_t$. How far a slow direction has come depends on the *area* under the rate, not on its shape and not on
the number of steps. (Very small steps follow the path of steepest descent, called gradient flow; $A$ is the time
along that path.) Three schedules of the same area, 20, in a slow direction and in a fast one:
"""

# %%
schedules = {
    "200 steps, constant": np.full(200, 0.1),
    "400 steps, rising": np.linspace(0, 0.1, 400),
    "100 steps, falling": np.linspace(0.4, 0, 100),
}
for curvature in (0.05, 13.0):
    print(f"curvature {curvature:.2f}, exp(-curvature · area) = {np.exp(-20 * curvature):.2g}")
    for name, rates in schedules.items():
        print(f"   {name}, area {rates.sum():.1f}: remaining distance {abs(np.prod(1 - rates * curvature)):.2g}")

# %% [markdown]
r"""
**What you see.** In the slow direction 100 steps do what 400 do. In the fast one $\eta\lambda$ is not small, and
shape matters: the falling schedule begins beyond $2/\lambda$, blows up, and does not recover. Area measures *distance
in slow directions*; the limit $2/\lambda$ of lesson 03 is about the fast ones. Warmup gives up distance in the slow
directions to stay below the limit of the fast ones.

**The area of a ramp.** Inside it, $A(n)$ is a sum of the whole numbers from 1 to $n$, which is $n(n+1)/2$ (pair the
first with the last). After it, each step adds the peak:

$$
A(n) = \frac{\eta_\text{peak}}{W}\sum_{t=0}^{n-1}(t+1) = \eta_\text{peak}\,\frac{n(n+1)}{2W} \quad (n \le W), \qquad
A(n) = \eta_\text{peak}\Big(\frac{W+1}{2} + n - W\Big) = \eta_\text{peak}\Big(n - \frac{W-1}{2}\Big) \quad (n \ge W).
$$

So a complete ramp costs as much distance as $(W-1)/2$ steps at the peak. Checked by adding up:
"""

# %%
from largebatch.schedules import warmup_rates

peak_rate, warmup_steps = 0.4, 64
added_up = np.cumsum(warmup_rates(300, peak_rate, warmup_steps))
for n in (1, 10, 64, 65, 300):
    inside = peak_rate * n * (n + 1) / (2 * warmup_steps)
    after = peak_rate * (n - (warmup_steps - 1) / 2)
    print(f"after {n:3d} steps: added up {added_up[n - 1]:8.4f}, by the formula {inside if n <= 64 else after:8.4f}")

# %% [markdown]
r"""
**What scales away.** Suppose the batch grows by a factor $k$, the linear rule raises the peak to $k\,\eta_0$, and
somebody lets the warmup steps grow in proportion too, $W = k\,W_0$, "because the peak is higher". Inside the ramp

$$
A(n) = k\,\eta_0\,\frac{n(n+1)}{2\,k\,W_0} = \eta_0\,\frac{n(n+1)}{2 W_0} ,
$$

and $k$ is gone. The ramp of every batch has the *same slope*; a larger batch only stays on it longer.
"""

# %%
fig, axes = plt.subplots()
steps = np.arange(1, 2001)
for factor in (1, 4, 16, 64):
    rates = warmup_rates(len(steps), 0.05 * factor, 5 * factor)
    axes.loglog(steps, rates.cumsum(), label=f"k = {factor}: peak {0.05 * factor:g}, W = {5 * factor}")
axes.set(xlabel="steps", ylabel="area under the rate")
_ = axes.legend(title="base rate 0.05, W = 5 k steps")

# %% [markdown]
r"""
**What you see.** On the ramp all curves are one, a parabola (on these axes a line, soon of slope 2), and each leaves
it where its ramp ends. Pick an area and go to the right until you meet a curve: larger batches need fewer steps only
as long as their ramp ends before the area is reached. From there on the number of steps is the same, whatever the
batch. No gradient, no noise and no data entered this calculation. Keep it in mind for lesson 05, which compares batch
sizes.

## Exercise 4.2: `steps_to_area` (3 points, 10 minutes, core)

Return how many steps it takes until the area under the rate is at least `area`.

- `area`: more than 0; `peak_rate`; `warmup_steps`: 0 means no warmup, which is the same as 1
- returns the smallest whole number $n$ with $A(n) \ge$ `area`; for an area of 1, a peak of 0.5 and 4 warmup steps
  (rates 0.125, 0.25, 0.375, 0.5, 0.5, …), 4

<details><summary>Hint 1 (click to open): is there a way without formulas?</summary>

Add up rates until the sum is large enough, and count. That is a right answer (where the area is met exactly, rounding
may let a running sum take one step more; the checks avoid such cases).
</details>

<details><summary>Hint 2 (click to open): and with formulas?</summary>

No warmup is a warmup of one step. Inside the ramp solve $n(n+1) = 2W\,\text{area}/\eta_\text{peak}$ for $n$ and round
up; if that $n$ is more than $W$, the second formula holds, $n = \text{area}/\eta_\text{peak} + (W-1)/2$, rounded up.
</details>
"""


# %% solution="steps_to_area"
def steps_to_area(area, peak_rate, warmup_steps):
    """Return the smallest number of steps whose rates add up to at least area."""
    ### BEGIN SOLUTION
    steps, collected = 0, 0.0
    while collected < area:
        collected += peak_rate * min(1.0, (steps + 1) / max(warmup_steps, 1))
        steps += 1
    return steps
    ### END SOLUTION


# %% tests="steps_to_area_inside" points=1
# Inside the ramp: an area of 1.2 with a peak of 2 and 8 warmup steps, so rates of 0.25, 0.5, 0.75, …
check(
    steps_to_area(1.2, 2.0, 8),
    3,
    unit="steps",
    mistakes={
        "this ignores the ramp: the first steps do not have the peak rate": 1,
        "step 0 has already received one increment: its rate is not 0, and the area is n (n + 1)/2 increments, not n²/2": 4,
        "two steps collect only 0.75: round up, or count the step that gets there": 2,
        "this adds the whole warmup as if it collected nothing": 9,
        "area / peak + (W - 1)/2 holds only past the ramp": 5,
        "area / peak + (W - 1)/2 holds only past the ramp, and the number of steps is whole": 4.1,
        "area / peak + W/2 is not the law inside the ramp, and the number of steps is whole": 4.6,
        "this ignores the ramp, and the number of steps is whole": 0.6,
        "the number of steps is whole: round up": (38.4 + 1) ** 0.5 / 2 - 0.5,
    },
)

# %% tests="steps_to_area_past" points=1
# Past the ramp: an area of 37.5, again with a peak of 2 and 8 warmup steps. The ramp collects 9, each
# step after it 2. And no warmup at all.
check(
    steps_to_area(37.5, 2.0, 8),
    23,
    unit="steps",
    mistakes={
        "this ignores the ramp: the first steps do not have the peak rate": 19,
        "the ramp goes on beyond the peak: after W steps the rate stays": 17,
        "the ramp is counted as if it collected nothing": 27,
        "one too many: a ramp costs (W - 1)/2 steps, and the step that gets there is the last": 24,
        "22 steps collect only 37: count the step that gets there, and round up": 22,
        "the number of steps is whole: round up": 37.5 / 2 + 3.5,
        "a ramp costs (W - 1)/2 steps, not W/2; and the number of steps is whole": 37.5 / 2 + 4,
        "these are the steps after the ramp; the ramp's own 8 come before them": 15,
    },
)
check(
    steps_to_area(3.0, 0.5, 0),
    6,
    unit="steps",
    what="area 3, peak 0.5, no warmup",
    mistakes={"an area of exactly 3 is enough": 7, "5 steps collect only 2.5: count the step that gets there": 5},
)

# %% tests="steps_to_area_properties" points=1
# Checked when you are graded: other schedules against adding up, no warmup, and k times the peak
# with k times the warmup.
### BEGIN HIDDEN TESTS
check(steps_to_area(1.0, 0.5, 4), 4, unit="steps", what="the example of the text")
check(steps_to_area(1.9, 0.5, 0), 4, unit="steps", what="no warmup")
check(steps_to_area(1.9, 0.5, 1), 4, unit="steps", what="a warmup of one step")
check(steps_to_area(0.01, 0.5, 8), 1, unit="steps", what="a single step is enough")
for _peak, _warmup in ((0.3, 17), (3.2, 782), (0.05, 5)):
    _areas = (_peak * np.minimum(1, np.arange(1, 3001) / _warmup)).cumsum()
    for _n in (2, _warmup - 1, _warmup, _warmup + 1, 2500):
        check(
            steps_to_area((_areas[_n - 2] + _areas[_n - 1]) / 2, _peak, _warmup),
            _n,
            unit="steps",
            what=f"peak {_peak}, W = {_warmup}",
        )
for _factor in (32, 64, 128, 512):
    check(
        steps_to_area(60.6, 0.05 * _factor, 5 * _factor),
        110,
        unit="steps",
        what=f"peak 0.05 k and W = 5 k, k = {_factor}",
    )
### END HIDDEN TESTS

# %% [markdown]
r"""
## 4.3 A warmup of how many what?

"Warm up over the first few hundred updates", say the notes. Goyal et al. say: over five *epochs*, at every batch. One
epoch of their ImageNet has 1 281 167 examples, so with batches of 8192 that is 782 updates, and with batches of 256
it is 25 023. A number of steps is a number of steps only together with a batch.

A run over $D$ examples has $D/B$ steps. Let the warmup have $W$ of them. Its share of the run is

$$
\frac{W}{D/B} = \frac{W B}{D}:\qquad
\begin{array}{lll}
W \text{ fixed in examples or epochs} & W = \text{const}/B & \text{share the same at every } B \\
W \text{ fixed in steps} & W = \text{const} & \text{share} \propto B \\
W \text{ in proportion to the batch} & W = c\,B & \text{share} \propto B^2
\end{array}
$$

(Whole steps and whole runs blur this: a share is never more than 1.) In numbers, for 90 epochs of ImageNet:
"""

# %%
images = 1_281_167
ways = {  # warmup steps at a batch size
    "5 epochs": lambda batch: 5 * images / batch,
    "500 steps": lambda batch: 500,
    "20 steps per 256": lambda batch: 20 * batch / 256,
}
print("batch    steps of the run" + "".join(f"{name:>28s}" for name in ways))
for batch in (256, 1024, 8192, 32768, 65536):
    row = f"{batch:6d}   {90 * images / batch:15,.0f} "
    for way in ways.values():
        row += f"{way(batch):15,.0f} steps {min(1, way(batch) * batch / (90 * images)):6.1%}"
    print(row)

# %% [markdown]
r"""
**What you see.** Only the first column keeps its share. The second is next to nothing at 256 and more than a quarter
of the run at 65 536. The third looks harmless up to 8192 and then takes up the whole run, the batch being eight times
larger, the warmup steps eight times as many, and the steps to share them eight times fewer.

Now design one. The data set of the demo has 20 000 examples, the reference is a rate of 0.05 at a batch of 32.
"""

# %%
demos.schedule()

# %% [markdown]
r"""
**You should have seen** the share fourfold (go back to 1024 and forth again). Set the unit to *epochs of 20 000*: the
batch no longer matters to the share. Go back to *steps per B/32* and raise the batch to 8192: the run ends inside the
ramp, far below its peak, and most of the area is gone. None of the three rules for the peak repairs that.

## Exercise 4.3: `warmup_plan` (2 points, 8 minutes, core)

Turn a warmup into whole optimizer steps, and say which share of the run it takes.

- `length`: how long the warmup is, a number of `unit`; `unit`: `"steps"`, `"epochs"` or `"examples"`
- `global_batch` (examples); `examples_per_epoch`; `num_epochs`: length of the run
- returns `(warmup_steps, share)`. Steps are whole: the warmup has the fewest steps that hold its examples, and the
  run has the fewest that hold its examples (epochs follow each other without a gap, so round once, at the end). The
  share is warmup steps / steps of the run, at most 1
- for 500 examples in batches of 32 and a run of 2 epochs of 1000 examples, `(16, 16 / 63)`

<details><summary>Hint 1 (click to open): what is the common unit?</summary>

Examples. Turn epochs into examples, and examples into steps; `"steps"` are steps already.
</details>

<details><summary>Hint 2 (click to open): how do I round up and cap?</summary>

`math.ceil(x)`, and `min(1.0, …)`.
</details>
"""


# %% solution="warmup_plan"
def warmup_plan(length, unit, global_batch, examples_per_epoch, num_epochs):
    """Return (warmup_steps, share of the run); unit is "steps", "epochs" or "examples"."""
    ### BEGIN SOLUTION
    examples = {"steps": length * global_batch, "epochs": length * examples_per_epoch, "examples": length}[unit]
    warmup_steps = math.ceil(examples / global_batch)
    num_steps = math.ceil(num_epochs * examples_per_epoch / global_batch)
    return warmup_steps, min(1.0, warmup_steps / num_steps)
    ### END SOLUTION


# %% tests="warmup_plan_by_hand" points=1
# ImageNet: 5 of 90 epochs of 1 281 167 examples, in batches of 4096.
check(
    warmup_plan(5, "epochs", 4096, 1_281_167, 90),
    (1564, 1564 / 28151),
    what="warmup steps, share of the run",
    mistakes={
        "the last step of the warmup is not full, but it is a step: round up": (1563, 1563 / 28151),
        "both numbers of steps were rounded down; a step that is not full is a step": (1563, 1563 / 28150),
        "the steps of the run were rounded down; a step that is not full is a step": (1564, 1564 / 28150),
        "each epoch was rounded up on its own; epochs follow each other without a gap": (1565, 1565 / 28170),
        "each epoch of the warmup was rounded up on its own; epochs follow each other without a gap": (
            1565,
            1565 / 28151,
        ),
        "the number of steps is whole: round up": (5 * 1_281_167 / 4096, 5 / 90),
        "the share is in whole steps: 1564 of 28 151": (1564, 5 / 90),
        "the share is in whole steps, those of the run too: 1564 of 28 151": (1564, 1564 * 4096 / (90 * 1_281_167)),
        "these are examples; the optimizer sees steps": (5 * 1_281_167, 5 / 90),
        "these are epochs; the optimizer sees steps": (5, 5 / 28151),
        "this is a percentage; a share is at most 1": (1564, 156_400 / 28151),
        "the order is (warmup_steps, share)": (1564 / 28151, 1564),
    },
)
check(
    warmup_plan(500, "steps", 8192, 20_000, 40),
    (500, 1.0),
    what="warmup steps, share: 500 steps of 8192 in a run of 40 epochs of 20 000",
    mistakes={
        "a share is at most 1: the run ends inside the warmup": (500, 500 / 98),
        "the warmup is 500 steps long; it is the run that ends before it": (98, 1.0),
        "these are steps already: do not divide them by the batch": (1, 1 / 98),
    },
)

# %% tests="warmup_plan_properties" points=1
# Checked when you are graded: all units agree, and only a warmup in steps has a share that depends
# on the batch.
### BEGIN HIDDEN TESTS
check(warmup_plan(500, "examples", 32, 1000, 2), (16, 16 / 63), what="the example of the text")
for _batch in (32, 128, 512):
    _length = 5 * 16384 // _batch
    for _amount, _unit in ((5, "epochs"), (5 * 16384, "examples"), (_length, "steps")):
        check(
            warmup_plan(_amount, _unit, _batch, 16384, 20),
            (_length, 0.25),
            what=f"{_amount} {_unit}, batches of {_batch}",
        )
    check(warmup_plan(40, "steps", _batch, 16384, 20), (40, _batch / 8192), what=f"40 steps, batches of {_batch}")
check(warmup_plan(0.5, "epochs", 100, 250, 3), (2, 0.25), what="half an epoch of 250, batches of 100, 3 epochs")
### END HIDDEN TESTS

# %% [markdown]
r"""
## 4.4 What momentum remembers

Momentum keeps a running sum of gradients. There are two ways to write it, and while the rate changes they are *not*
the same:

$$
\text{rate inside:}\quad v \leftarrow m\,v + \eta_t\,g_t,\quad w \leftarrow w - v
\qquad\qquad
\text{rate outside:}\quad u \leftarrow m\,u + g_t,\quad w \leftarrow w - \eta_t\,u .
$$

PyTorch's SGD keeps the rate outside. Papers and some frameworks keep it inside, and then the buffer carries each old
gradient times its *old* rate. Remark 2 of Goyal et al. gives the repair: multiply the buffer by $\eta_t/\eta_{t-1}$.

**Claim.** With $v \leftarrow m\,\frac{\eta_t}{\eta_{t-1}}\,v + \eta_t\,g_t$, both ways make the same steps.

1. We show $v_t = \eta_t u_t$ for all $t$, by induction; then the steps $v_t$ and $\eta_t u_t$ are equal.
2. First step: both buffers start at zero, so $v_0 = \eta_0 g_0$ and $u_0 = g_0$. It holds.
3. If $v_{t-1} = \eta_{t-1}u_{t-1}$, then $v_t = m\,\frac{\eta_t}{\eta_{t-1}}\,\eta_{t-1}u_{t-1} + \eta_t g_t =
   \eta_t\,(m\,u_{t-1} + g_t) = \eta_t u_t$. $\square$

In numbers: a ramp of 100 steps, then a drop to a tenth, with random gradients. The cell makes the steps with the rate
outside, with the rate inside and not corrected, and with `torch.optim.SGD`. The corrected form is your exercise.
"""

# %%
momentum = 0.9
rates = np.concatenate([warmup_rates(200, 1.0, 100), np.full(100, 0.1)])


def moves(gradients, rate_inside):
    """Return the step that each gradient causes, shape (steps,); nothing is corrected."""
    buffer, steps = 0.0, []
    for rate, gradient in zip(rates, gradients, strict=True):
        buffer = momentum * buffer + (rate if rate_inside else 1) * gradient
        steps.append(buffer if rate_inside else rate * buffer)
    return np.array(steps)


gradients = 1 + np.random.default_rng(4).standard_normal(300)
weight = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))
optimizer = torch.optim.SGD([weight], lr=1.0, momentum=momentum)
positions = [0.0]
for rate, gradient in zip(rates, gradients, strict=True):
    optimizer.param_groups[0]["lr"] = rate
    weight.grad = torch.full((1,), gradient, dtype=torch.float64)
    optimizer.step()
    positions.append(weight.item())
steps_of_torch = -np.diff(positions)
print(f"typical step at the peak: {np.abs(steps_of_torch[100:200]).mean():.1f}; largest difference from torch:")
print(f"  rate outside {np.abs(moves(gradients, False) - steps_of_torch).max():.1g}")
print(f"  rate inside, not corrected {np.abs(moves(gradients, True) - steps_of_torch).max():.1f}")

# %% [markdown]
r"""
How far off is the uncorrected form? Let the gradient be constant, $g$, on a ramp $\eta_t = c\,(t+1)$, long after its
start. Rate outside, the step is $\eta_t\,g\,(1 + m + m^2 + \dots) = \eta_t\,g/(1-m)$. Rate inside, the gradient of
$j$ steps ago still has its rate $\eta_{t-j} = c\,(t+1-j)$. With $\sum_j m^j = \frac{1}{1-m}$ and $\sum_j j\,m^j =
\frac{m}{(1-m)^2}$ (the derivative of the first sum, times $m$):

$$
v_t = c\,g\sum_{j\ge0} m^j\,(t+1-j) = c\,g\Big[\frac{t+1}{1-m} - \frac{m}{(1-m)^2}\Big]
= \frac{c\,g}{1-m}\Big[(t+1) - \frac{m}{1-m}\Big] .
$$

So the uncorrected form walks as if the schedule were $m/(1-m)$ steps late, 9 steps for $m = 0.9$. The same with a
constant gradient of 1, in units of the step that the peak rate makes in the end:
"""

# %%
right, late = ((1 - momentum) * moves(np.ones(300), rate_inside) for rate_inside in (False, True))
lag = round(momentum / (1 - momentum))
print(
    f"in the ramp, at step 80: {right[80]:.3f} corrected, {late[80]:.3f} not; {lag} steps earlier: {right[80 - lag]:.3f}"
)
for step in (200, 210, 220):
    print(f"{step - 200:2d} steps after the drop: {late[step] / right[step]:.1f} times too far")
fig, axes = plt.subplots()
axes.plot(right, label="corrected")
axes.plot(late, "--", label="not corrected")
axes.set(xlabel="step", ylabel="distance of one step")
_ = axes.legend(loc="lower center")

# %% [markdown]
r"""
**What you see.** In a ramp the uncorrected form is late and therefore too *slow*: harmless. Where the rate drops, its
first step is nine times too far, and 20 steps later they are still twice as far as they should be. With PyTorch's SGD
there is nothing to correct. If you port a recipe between the two forms, there is.

## Exercise 4.4: `momentum_step` (2 points, 6 minutes, core)

Make one step with the rate *inside* the buffer, corrected for a rate that has changed.

- `weights`, `buffer`, `gradient`: arrays of the same shape (or numbers); do not change the caller's arrays
- `rate`, `previous_rate`: rates of this step and of the one before; `momentum`
- returns `(weights, buffer)` after the step
- for weight 1, buffer 0.5, gradient 2, rate 0.2, previous rate 0.1 and momentum 0.8, `(-0.2, 1.2)`

<details><summary>Hint 1 (click to open): which quantity still carries the old rate?</summary>

Only what was in the buffer before. The new gradient gets the new rate.
</details>

<details><summary>Hint 2 (click to open): which way round is the factor?</summary>

The buffer holds old gradients × `previous_rate`, and should hold them × `rate`.
</details>
"""


# %% solution="momentum_step"
def momentum_step(weights, buffer, gradient, rate, previous_rate, momentum):
    """Return (weights, buffer) after one step whose buffer holds rate × gradient."""
    ### BEGIN SOLUTION
    buffer = momentum * (rate / previous_rate) * buffer + rate * gradient
    return weights - buffer, buffer
    ### END SOLUTION


# %% tests="momentum_step_by_hand" points=1
# Weight 1, buffer 0.2, gradient 0.5, momentum 0.9; the rate has grown from 0.1 to 0.4.
check(
    momentum_step(1.0, 0.2, 0.5, 0.4, 0.1, 0.9),
    (0.08, 0.92),
    what="weight, buffer",
    mistakes={
        "the buffer was not corrected: it still holds the old rate": (0.62, 0.38),
        "the factor is upside down: the buffer should hold the new rate": (0.755, 0.245),
        "the new gradient was corrected too; it has the new rate already": (-0.52, 1.52),
        "the new gradient was given the previous rate": (0.23, 0.77),
        "this is the form with the rate outside, PyTorch's; here the buffer holds rate × gradient": (0.728, 0.68),
        "the weight is right; the buffer holds rate × gradient here, not the gradient alone": (0.08, 2.3),
        "the momentum is missing: the buffer fades by it in each step": (0.0, 1.0),
        "the new gradient was multiplied by 1 - momentum, which this form does not do": (0.26, 0.74),
        "the weights moved up the gradient: subtract the buffer": (1.92, 0.92),
        "the weights moved by the buffer from before this step": (0.8, 0.92),
        "the rate is in it twice: the buffer holds it already": (1 - 0.4 * 0.92, 0.92),
        "the order is (weights, buffer)": (0.92, 0.08),
    },
)

# %% tests="momentum_step_against_torch" points=1
# Checked when you are graded: the steps of torch.optim.SGD while the rate rises, stays and falls;
# arrays stay as they were.
### BEGIN HIDDEN TESTS
check(momentum_step(1.0, 0.5, 2.0, 0.2, 0.1, 0.8), (-0.2, 1.2), what="the example of the text: weight, buffer")
_noise = np.random.default_rng(5).standard_normal((30, 4))
_schedule = [0.1 * min(1, (_t + 1) / 10) for _t in range(20)] + [0.01] * 10
for _momentum in (0.0, 0.5, 0.9):
    _torch_weights = torch.nn.Parameter(torch.ones(4, dtype=torch.float64))
    _torch_sgd = torch.optim.SGD([_torch_weights], lr=1.0, momentum=_momentum)
    _weights, _buffer, _previous = np.ones(4), np.zeros(4), _schedule[0]
    for _rate, _gradient in zip(_schedule, _noise, strict=True):
        _torch_sgd.param_groups[0]["lr"] = _rate
        _torch_weights.grad = torch.tensor(_gradient)
        _torch_sgd.step()
        _given = np.array([_weights, _buffer, _gradient])
        _new = momentum_step(*(_array := _given.copy()), _rate, _previous, _momentum)
        if not np.array_equal(_array, _given):
            raise WrongAnswer(
                "the caller's arrays as they were", "changed arrays", "`*=`, `+=` and `-=` write into the array"
            )
        (_weights, _buffer), _previous = _new, _rate
    check(_weights, _torch_weights, rtol=1e-9, atol=1e-12, what=f"weights after 30 steps, momentum {_momentum}")
### END HIDDEN TESTS

# %% [markdown]
r"""
## 4.5 The same in PyTorch

A scheduler changes the optimizer's rate whenever `scheduler.step()` is called: once for each optimizer step, *after*
`optimizer.step()`. `LinearLR(optimizer, start_factor=s, total_iters=n)` multiplies the optimizer's rate by

$$
s + (1 - s)\,\frac{t}{n}\ \text{ for } t < n, \qquad 1\ \text{ for } t \ge n \qquad (n \text{ whole}).
$$

Step 0 has exactly the factor $s$, and step $n$ is the first at the peak: one step later than in section 4.1. To see
which rates a loop really uses, write them down just before each step:
"""


# %%
def rates_used(optimizer, scheduler, num_steps):
    """Return the rate that each of the next num_steps optimizer steps uses."""
    rates = []
    for _ in range(num_steps):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return rates


def sgd(rate=1.0):
    """Return plain SGD on one weight."""
    return torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=rate)


def show(name, rates):
    """Print a name and the rates."""
    print(f"{name:44s}", *(f"{rate:5.2f}" for rate in rates))


# %%
optimizer = sgd()
show("section 4.1, W = 4", np.minimum(1, np.arange(1, 8) / 4))
show("LinearLR, start_factor=1/4, total_iters=4", rates_used(optimizer, LinearLR(optimizer, 1 / 4, total_iters=4), 7))
optimizer = sgd()
show("LinearLR, start_factor=1/4, total_iters=3", rates_used(optimizer, LinearLR(optimizer, 1 / 4, total_iters=3), 7))
optimizer = sgd()
show("LambdaLR, t / W", rates_used(optimizer, LambdaLR(optimizer, lambda t: min(1, t / 4)), 7))
optimizer = sgd()
show("LambdaLR, (t + 1) / W", rates_used(optimizer, LambdaLR(optimizer, lambda t: min(1, (t + 1) / 4)), 7))
optimizer = sgd()
show("LinearLR, total_iters=2.5", rates_used(optimizer, LinearLR(optimizer, 1 / 4, total_iters=2.5), 7))

# %% [markdown]
r"""
**What you see.** The ramp of section 4.1 is `start_factor=1/W` with `total_iters=W - 1`. A widely used lambda, $t/W$,
wastes its first step on a rate of zero. And a `total_iters` that is not whole, easily produced by dividing examples
by a batch, **never** reaches the peak: the scheduler waits for a step number that does not come. Nothing warns.

One more trap is the order: with `scheduler.step()` *before* `optimizer.step()` the first rate is never used (PyTorch
warns of that, once). Another is resuming. A checkpoint must hold the scheduler's state as well as the optimizer's.
Stop a ramp of 8 steps after 4 of them, and go on in a new process:
"""

# %%
optimizer = sgd()
scheduler = LinearLR(optimizer, 1 / 8, total_iters=8)
show("before the stop", rates_used(optimizer, scheduler, 4))
checkpoint = {"optimizer": optimizer.state_dict(), "scheduler": scheduler.state_dict()}
for restored in (("optimizer", "scheduler"), ("optimizer",)):
    optimizer = sgd()
    scheduler = LinearLR(optimizer, 1 / 8, total_iters=8)
    optimizer.load_state_dict(checkpoint["optimizer"])
    if "scheduler" in restored:
        scheduler.load_state_dict(checkpoint["scheduler"])
    show(f"after it, restored: {', '.join(restored)}", rates_used(optimizer, scheduler, 10))

# %% [markdown]
r"""
**What you see.** With both states the ramp goes on where it was. With the optimizer's alone, loaded into a fresh
set-up, the rate climbs to 4.5 times the peak: `LinearLR` multiplies whatever rate it finds, and a fresh one believes
that it found the start of the ramp.

**A set-up to repair.** Here is one in the spirit of a listing in print. The rate of 0.02 was tuned at batches of 64,
for SGD *without* momentum. The run has 8 ranks of 16 examples.
"""


# %%
def found_setup(parameters, num_ranks, micro_batch):
    """Return optimizer and scheduler, with faults."""
    optimizer = torch.optim.SGD(parameters, lr=0.02 * (num_ranks * micro_batch) / 64, momentum=0.9)
    return optimizer, LinearLR(optimizer, start_factor=1 / num_ranks, total_iters=1000)


optimizer, scheduler = found_setup([torch.nn.Parameter(torch.zeros(1))], num_ranks=8, micro_batch=16)
rate = optimizer.param_groups[0]["lr"]
print(
    f"rate of the first step {rate:.4f}; with momentum 0.9 steps are as long as at {rate / (1 - 0.9):.3f} without; tuned: 0.02"
)
for num_ranks in (8, 512):
    examples = 1000 * num_ranks * 16
    print(f"1000 steps on {num_ranks:3d} ranks: {examples:,} examples, {examples / images:.2f} epochs of ImageNet")

# %% [markdown]
r"""
**Fault 1, momentum.** With a constant gradient each step is $1/(1-m)$ times as long as without momentum (section
4.4): 10 times for $m = 0.9$. A rate tuned without momentum must be multiplied by $1 - m$ when momentum is switched on
(a first guess: it matches the length of the steps in slow directions).

**Fault 2, the start.** `1/num_ranks` starts at the rate that the linear rule gives to *one rank's* batch. That is the
reference rate only if a rank's batch is the reference batch; here it is 16 and not 64. To start at the reference
rate, the factor is $B_0/B$.

**Fault 3, the length.** 1000 steps, whatever the batch: a tenth of an epoch at 8 ranks, and several epochs at 512.

**Fault 4, the loop.** None is shown. If nobody calls `scheduler.step()`, the rate stays at the bottom of the ramp for
ever, and nothing warns.

(The printed listing has faults 1 and 3, fault 2 unless its undefined local batch is the reference batch, and shows no
loop. It also leaves the line that wraps the model in `DistributedDataParallel` commented out, without which the ranks
never average their gradients; lesson 09.)

## Exercise 4.5: `make_schedule` (3 points, 12 minutes, challenge)

Repair the set-up. Return `(optimizer, scheduler)` with which the loop "`optimizer.step()`, then `scheduler.step()`"
uses the right rates.

- `parameters`: of the model; `global_batch`: $B$ examples, at least `reference_batch`
- `warmup_examples`, more than 0: the warmup takes the fewest whole steps that hold so many examples, $n$ of them
- `reference_rate`: tuned at batches of `reference_batch` $= B_0$, for SGD *without* momentum; `momentum`: of the new
  run, plain `torch.optim.SGD(parameters, lr=…, momentum=…)`
- peak rate by the linear rule, and shortened for momentum by $1 - m$; the ramp begins with the rate of the reference
  batch (shortened likewise): step 0 uses $B_0/B$ times the peak, step $n$ is the first at the peak, in between the
  rate rises by equal amounts (*not* the ramp of section 4.1, which starts at $1/W$ and is at the peak one step
  earlier)
- for batches of 128, a reference rate of 0.02 at 64, momentum 0.9 and 512 warmup examples, the rates are 0.002,
  0.0025, 0.003, 0.0035, 0.004, 0.004, …

<details><summary>Hint 1 (click to open): in which order do I decide?</summary>

Peak rate first: it is what the optimizer is given. Then the number of steps, then the factor of the first step.
</details>

<details><summary>Hint 2 (click to open): which scheduler?</summary>

`LinearLR(optimizer, start_factor=reference_batch / global_batch, total_iters=…)` does it, with a whole number there.
So does a `LambdaLR`.
</details>
"""


# %% solution="make_schedule"
def make_schedule(parameters, global_batch, warmup_examples, reference_batch, reference_rate, momentum):
    """Return (optimizer, scheduler) for SGD with momentum, linear rule and a warmup counted in examples."""
    ### BEGIN SOLUTION
    peak_rate = reference_rate * global_batch / reference_batch * (1 - momentum)
    optimizer = torch.optim.SGD(parameters, lr=peak_rate, momentum=momentum)
    warmup_steps = math.ceil(warmup_examples / global_batch)
    return optimizer, LinearLR(optimizer, start_factor=reference_batch / global_batch, total_iters=warmup_steps)
    ### END SOLUTION


# %% tests="make_schedule_rates" points=2
# Batches of 512, a reference rate of 0.02 at 64, momentum 0.9, 4700 warmup examples: the rates of
# steps 0, 1, 5, 9, 10, 11 and 40.
def _ramp(_peak, _start, _length):
    return [_peak * (_start + (1 - _start) * min(1, _t / _length)) for _t in (0, 1, 5, 9, 10, 11, 40)]


_answer = make_schedule([torch.nn.Parameter(torch.zeros(1))], 512, 4700, 64, 0.02, 0.9)
if not (isinstance(_answer, tuple | list) and len(_answer) == 2 and isinstance(_answer[0], torch.optim.Optimizer)):
    raise WrongAnswer("(optimizer, scheduler)", repr(_answer)[:60])
_optimizer, _scheduler = _answer
_rates = rates_used(_optimizer, _scheduler, 41)
_other = sgd(0.016)
_stuck = rates_used(_other, LinearLR(_other, 1 / 8, total_iters=4700 / 512), 41)
check(
    [_rates[_t] for _t in (0, 1, 5, 9, 10, 11, 40)],
    _ramp(0.016, 1 / 8, 10),
    what="rates of steps 0, 1, 5, 9, 10, 11 and 40",
    mistakes={
        "the rate was tuned without momentum: with it, each step is 1 / (1 - m) times as long": _ramp(0.16, 1 / 8, 10),
        "with momentum the rate must be smaller, not larger: multiply by 1 - m": _ramp(1.6, 1 / 8, 10),
        "this reaches the peak at step 9: round the 9.2 steps of the warmup up, and let step n be the first at the peak": _ramp(
            0.016, 1 / 8, 9
        ),
        "4700 / 512 is not a whole number, and with it LinearLR never reaches the peak: round up": [
            _stuck[_t] for _t in (0, 1, 5, 9, 10, 11, 40)
        ],
        "warmup_examples are examples, not steps: divide by the batch and round up": _ramp(0.016, 1 / 8, 4700),
        "the examples were divided by the reference batch; the steps of this run are larger": _ramp(0.016, 1 / 8, 74),
        "the ramp starts at zero; it should start at the rate of the reference batch": _ramp(0.016, 0, 10),
        "this is the ramp of section 4.1; it should start at the rate of the reference batch, and step n should be the first at the peak": _ramp(
            0.016, 0.1, 9
        ),
        "the ramp starts at 1/n of the peak; it should start at the rate of the reference batch": _ramp(0.016, 0.1, 10),
        "this is LinearLR's own start, a third of the peak; the ramp should start at the rate of the reference batch": _ramp(
            0.016, 1 / 3, 10
        ),
        "the start factor is B0/B, not 1/B0": _ramp(0.016, 1 / 64, 10),
        "the start factor is B0/B, not 1/B": _ramp(0.016, 1 / 512, 10),
        "the ramp is one increment too early: step 0 uses B0/B times the peak": [
            0.016 * (1 / 8 + 7 / 8 * min(1, (_t + 1) / 10)) for _t in (0, 1, 5, 9, 10, 11, 40)
        ],
        "a LambdaLR returns a factor, which multiplies the optimizer's rate": [
            0.016 * _rate for _rate in _ramp(0.016, 1 / 8, 10)
        ],
        "there is no ramp": _ramp(0.016, 1, 10),
        "the square-root rule is for Adam; for SGD take the linear rule": _ramp(0.02 * 8**0.5 * 0.1, 1 / 8, 10),
        "the peak is not scaled with the batch": _ramp(0.002, 1 / 8, 10),
        "the peak is not scaled with the batch, nor shortened for momentum": _ramp(0.02, 1 / 8, 10),
    },
)
_group = _optimizer.param_groups[0]
check(_group.get("momentum", 0.0), 0.9, what="momentum of the optimizer")
check(float(_group.get("nesterov", 0)), 0, what="Nesterov, which should be off")

# %% tests="make_schedule_any_run" points=1
# Checked when you are graded: other batches and momenta, the reference batch itself, and how far a
# step goes in the end.
### BEGIN HIDDEN TESTS
for _batch, _examples, _m in (
    (64, 640, 0.9),
    (128, 512, 0.9),
    (1024, 100_000, 0.0),
    (4096, 4096, 0.5),
    (8192, 100, 0.9),
):
    _weight = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))
    _optimizer, _scheduler = make_schedule([_weight], _batch, _examples, 64, 0.02, _m)
    _length, _start, _peak = -(-_examples // _batch), 64 / _batch, 0.02 * _batch / 64 * (1 - _m)
    _expected = [_peak * (_start + (1 - _start) * min(1, _t / _length)) for _t in range(_length + 5)]
    _case = f"batches of {_batch}, {_examples} warmup examples, momentum {_m}"
    check(rates_used(_optimizer, _scheduler, _length + 5), _expected, what=f"rates, {_case}")
    for _ in range(300):
        _position = _weight.item()
        _weight.grad = torch.ones(1, dtype=torch.float64)
        _optimizer.step()
        _scheduler.step()
    check(_position - _weight.item(), 0.02 * _batch / 64, what=f"distance of a late step with gradient 1, {_case}")
### END HIDDEN TESTS

# %% [markdown]
r"""
## 4.6 What warmup buys: a larger peak

Lesson 03 found that gradient descent on a quadratic is stable below $2/\lambda$. Does a warmup raise this limit? With
constant curvature it cannot. From step $W$ on each step multiplies $w$ by the same $1 - \eta_\text{peak}\lambda$,
which shrinks it exactly if $\eta_\text{peak} < 2/\lambda$; the ramp before multiplied it by some finite number, and
no finite number decides between growing for ever and shrinking for ever. In numbers, $\lambda = 1$:
"""


# %%
def log_distance(peak_rate, warmup_steps, curvature=1.0, num_steps=600):
    """Return ln |w| after each step of gradient descent with a ramp on a quadratic, from w = 1, shape (num_steps,)."""
    rates = peak_rate * np.minimum(1, np.arange(1, num_steps + 1) / max(warmup_steps, 1))
    return np.log(np.abs(1 - curvature * rates) + 1e-12).cumsum()


fig, axes = plt.subplots()
for peak_rate, style in ((2.1, "-"), (1.9, "--")):
    for colour, warmup_steps in enumerate((0, 64, 256)):
        label = f"peak {peak_rate}, W = {warmup_steps}"
        axes.plot(log_distance(peak_rate, warmup_steps), style, color=f"C{colour}", label=label)
axes.set(xlabel="step", ylabel="ln |distance|", title="curvature 1: the limit is a rate of 2")
_ = axes.legend(ncols=2, loc="upper left", fontsize=9)
axes.set_ylim(-330, 170)

# %% [markdown]
r"""
**What you see.** In the ramp the distance shrinks, as it would at any small rate. Then all solid lines rise, with the
same slope, and all dashed ones fall, whatever $W$: the border lies between 1.9 and 2.1, at 2 by the argument above.
(*Limit* means in the long run. Stopped after 300 steps, a run with a long ramp would still be closer than at the
start.) So if warmup makes a larger peak usable, it must be because the curvature is *not* constant.

To find such a border by experiment, each trial is a training run, so use few of them.

## Exercise 4.6: `largest_stable_rate` (2 points, 8 minutes, core)

Find the largest stable rate by bisection.

- `is_stable(rate)`: True or False; True below some limit, False above. A call stands for a training run: use at most
  40 of them
- `low`, `high`: `low` is known to be stable, `high` not; they may be factors of a million apart
- `precision`: for example 0.01
- returns a rate that *is* stable and at most a factor `1 + precision` below one that is not

<details><summary>Hint 1 (click to open): what does bisection keep?</summary>

A stable `low` and an unstable `high`. Try a rate between them, and let it replace one of the two.
</details>

<details><summary>Hint 2 (click to open): which rate between them?</summary>

Rates differ by factors, so take the middle of factors, `(low * high) ** 0.5`, and stop when `high / low` is at most
`1 + precision`.
</details>
"""


# %% solution="largest_stable_rate"
def largest_stable_rate(is_stable, low, high, precision):
    """Return a stable rate, at most a factor 1 + precision below an unstable one."""
    ### BEGIN SOLUTION
    while high > low * (1 + precision):
        middle = (low * high) ** 0.5
        if is_stable(middle):
            low = middle
        else:
            high = middle
    return low
    ### END SOLUTION


# %% tests="largest_stable_rate_quadratic" points=1
# Gradient descent on a quadratic of curvature 500 with a warmup of 16 steps: the limit is 2/500 = 0.004, to 1 %.
_tried = []


def _falls(rate):
    _tried.append(float(rate))
    return bool(np.diff(log_distance(float(rate), 16, curvature=500.0))[-1] < 0)


_found = largest_stable_rate(_falls, 1e-5, 1e3, 0.01)
if not isinstance(_found, int | float | np.number | np.ndarray | torch.Tensor):
    check(_found, 0.004, what="the limit 2/500")
if len(_tried) > 40:
    raise WrongAnswer(
        "at most 40 training runs",
        f"{len(_tried)} of them",
        "halve the range in each run instead of trying rate after rate, and stop when high / low is at most 1 + precision",
    )
if 0.004 <= _found <= 0.004 * 1.011:
    raise WrongAnswer(
        "a rate that is stable, just below 0.004",
        f"{_found:.6g}",
        "this one is unstable, or the middle of the last two: return the stable end",
    )
if 1.1e-5 < _found < 0.004 / 1.0101:
    raise WrongAnswer(
        "a rate that is stable, at most 1 % below 0.004",
        f"{_found:.6g}",
        "this is stable, but too far below the limit: go on until high / low (not high - low) is at most 1 + precision",
    )
if _found > 100:
    raise WrongAnswer(
        "a rate that is stable, just below 0.004",
        f"{_found:.6g}",
        "this is the high end of the range: it is known to be unstable. Only a stable middle replaces `low`",
    )
check(
    0.00399 if 0.004 / 1.0101 <= _found < 0.004 else _found,
    0.00399,
    what="or anything else from 0.00396 to 0.004, the limit",
    mistakes={"this is the low end of the range: keep the stable rates that you find": 1e-5},
)

# %% tests="largest_stable_rate_properties" points=1
# Checked when you are graded: other limits, ranges and precisions; the answer is stable, a little
# more is not, and the runs are few.
### BEGIN HIDDEN TESTS
for _limit, _low, _high, _precision in (
    (0.37, 1e-3, 1e3, 0.01),
    (2e-5, 1e-6, 1.0, 0.1),
    (700.0, 1e-3, 1e3, 0.001),
    (3.0, 2.9, 3.1, 0.01),
    (1e-3 * 1.015**396.9, 1e-3, 1e-3 * 1.015**512, 0.01),  # where stopping at twice the precision shows
):
    _tried = []

    def _below(rate, _limit=_limit, _tried=_tried):
        _tried.append(rate)
        return bool(rate < _limit)

    _found = float(largest_stable_rate(_below, _low, _high, _precision))
    _case = f"limit {_limit}, range {_low} to {_high}, precision {_precision}"
    if not (_found < _limit <= _found * (1 + _precision) * (1 + 1e-9)):
        _cause = "this one is not stable" if _found >= _limit else "this is stable, but too far below the limit"
        raise WrongAnswer(f"a stable rate within the precision ({_case})", f"{_found:.6g}", _cause)
    if len(_tried) > 40:
        raise WrongAnswer(f"at most 40 runs ({_case})", f"{len(_tried)} of them")
print("right: stable, and within the precision")
### END HIDDEN TESTS

# %% [markdown]
r"""
**A network whose curvature changes.** Eight inputs, two hidden layers of 24 rectified units, one output; 256
examples, labels scaled to variance 1, mean squared error. So an error of 1 is what a network gets that always
predicts the mean. The initial weights are normal with a standard deviation of $a/\sqrt{\text{inputs of the layer}}$;
$a$ is called the *gain*, and $\sqrt2$ is the usual choice for rectified units (He et al. 2015). Each tensor holds
several networks side by side, its first axis, so that they are trained at once.
"""

# %%
rng = np.random.default_rng(0)
inputs = torch.tensor(rng.standard_normal((256, 8)), dtype=torch.float32)
labels = torch.tanh(inputs @ torch.tensor(rng.standard_normal((8, 4)) * 2 / 8**0.5, dtype=torch.float32)).sum(dim=1)
targets = ((labels - labels.mean()) / labels.std())[:, None]
num_seeds = 5


def initial_weights(gain, width=24):
    """Return the weights of num_seeds networks, three tensors of shape (num_seeds, inputs, outputs)."""
    generator = torch.Generator().manual_seed(0)
    layers = ((8, width), (width, width), (width, 1))
    return [gain * torch.randn(num_seeds, *layer, generator=generator) / layer[0] ** 0.5 for layer in layers]


def mean_squared_errors(weights, inputs, targets):
    """Return the error of each network, shape (networks,)."""
    hidden = inputs
    for matrix in weights[:-1]:
        hidden = torch.relu(hidden @ matrix)
    return (hidden @ weights[-1] - targets).square().mean(dim=(1, 2))


# %% [markdown]
r"""
**Its curvature.** The Hessian $H$ is too large to write down for real networks, but $H v$ is cheap for any direction
$v$: it is the gradient of the number $v \cdot \nabla L$. Start from a random $v$, replace it by $Hv$, scale it to
length 1, and repeat. Each repetition multiplies the part of $v$ along an eigenvector by its eigenvalue, so the
one largest in size wins, and $v \cdot Hv$ tends to it. This is *power iteration*.
"""


# %%
def top_curvature(weights, repetitions=20):
    """Return the largest eigenvalue of the Hessian over all examples, shape (networks,)."""
    weights = [matrix.detach().requires_grad_() for matrix in weights]
    loss = mean_squared_errors(weights, inputs, targets).sum()  # networks do not mix: one sum serves all
    gradients = torch.autograd.grad(loss, weights, create_graph=True)
    product = [torch.randn(matrix.shape, generator=torch.Generator().manual_seed(1)) for matrix in weights]
    for _ in range(repetitions):
        length = sum(part.square().sum(dim=(1, 2)) for part in product).sqrt()
        direction = [part / length[:, None, None] for part in product]
        slope = sum((gradient * part).sum() for gradient, part in zip(gradients, direction, strict=True))
        product = torch.autograd.grad(slope, weights, retain_graph=True)
    return sum((part * image).sum(dim=(1, 2)) for part, image in zip(direction, product, strict=True))


# %% [markdown]
r"""
Against all eigenvalues of the full Hessian, for one narrow network of 136 weights:
"""

# %%
small = [matrix[:1] for matrix in initial_weights(2**0.5, width=8)]
shapes, sizes = [matrix.shape for matrix in small], [matrix.numel() for matrix in small]


def loss_of_flat(flat):
    """Return the loss of the small network as a function of one long vector."""
    parts = [part.view(shape) for part, shape in zip(flat.split(sizes), shapes, strict=True)]
    return mean_squared_errors(parts, inputs, targets).sum()


hessian = torch.autograd.functional.hessian(loss_of_flat, torch.cat([matrix.flatten() for matrix in small]))
print("three largest eigenvalues:", torch.linalg.eigvalsh(hessian)[-3:].numpy().round(3))
print("power iteration:          ", top_curvature(small).numpy().round(3))

# %% [markdown]
r"""
How large is the curvature at the start, and with it the limit $2/\lambda$ that a quadratic would have?
"""

# %%
gains = {"1": 1.0, "√2": 2**0.5, "2": 2.0}
for name, gain in gains.items():
    curvatures = top_curvature(initial_weights(gain)).numpy()
    spread = f"from {curvatures.min():.1f} to {curvatures.max():.1f}"
    print(
        f"gain {name:2s}: curvature {np.median(curvatures):5.1f} ({spread}), 2/curvature {2 / np.median(curvatures):.3f}"
    )

# %% [markdown]
r"""
**What you see.** Twice the gain, about 16 times the curvature. With $f$ the output, the error is $(f-y)^2$ and its
curvature about $2\,(\partial f)^2$; and $\partial f$, the effect of a weight on the output, passes through the two
other layers, so that it grows as the gain squared.

Now train, with SGD and batches of 32, and watch the curvature on the way.
"""


# %%
def train(weights, peak_rates, warmup_steps, steps):
    """Return the weights after the steps (a range).

    peak_rates, warmup_steps: one for each network, shape (networks,); a warmup of 1 step is none
    """
    weights = [matrix.clone().requires_grad_() for matrix in weights]
    for step in steps:
        chosen = torch.randint(len(inputs), (32,), generator=torch.Generator().manual_seed(step))
        loss = mean_squared_errors(weights, inputs[chosen], targets[chosen]).sum()
        rates = peak_rates * ((step + 1) / warmup_steps).clamp(max=1)
        with torch.no_grad():
            for matrix, gradient in zip(weights, torch.autograd.grad(loss, weights), strict=True):
                matrix -= rates[:, None, None] * gradient
    return [matrix.detach() for matrix in weights]


# %%
moments = [0, 2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 32, 40, 48, 64, 80, 96]
runs = {"constant 0.01": (0.01, 1), "up to 0.35 in 64 steps": (0.35, 64)}
fig, axes = plt.subplots()
for name, (peak_rate, warmup_steps) in runs.items():
    weights, watched, errors = initial_weights(gains["√2"]), [], []
    for before, now in zip([0, *moments], moments, strict=False):
        settings = torch.full((num_seeds,), peak_rate), torch.full((num_seeds,), warmup_steps)
        weights = train(weights, *settings, range(before, now))
        watched.append(top_curvature(weights, repetitions=12).numpy())
        errors.append(mean_squared_errors(weights, inputs, targets).numpy())
    axes.plot(moments, np.median(watched, axis=1), label=f"curvature, rate {name}")
    axes.fill_between(moments, np.min(watched, axis=1), np.max(watched, axis=1), alpha=0.2)
    print(
        f"rate {name:22s}: median curvature {np.median(watched[0]):.0f} at the start, {np.median(watched[-1]):.0f} after 96 steps; "
        f"largest rise of the error between two dots: {np.max(np.diff(errors, axis=0), axis=0).clip(0).round(1)}"
    )
same_area = round(warmup_rates(96, 0.35, 64).sum() / 0.01)
weights = train(initial_weights(gains["√2"]), torch.full((5,), 0.01), torch.full((5,), 1), range(same_area))
print(
    f"rate constant 0.01, but {same_area} steps, the same area: median curvature {np.median(top_curvature(weights)):.0f}"
)
steps = np.arange(4, 97)
axes.plot(steps, 2 / (0.35 * np.minimum(1, (steps + 1) / 64)), "k:", label="2 / rate, for the ramp")
axes.set(xlabel="step", ylabel="curvature (loss / weight²)", yscale="log", ylim=(1, 500))
_ = axes.legend(loc="upper right")

# %% [markdown]
r"""
**What you see** (lines: medians of five initialisations; bands: all of them). At a small constant rate the curvature
hardly changes, not even over the same area. On the ramp it stays, too, until the falling limit $2/\eta_t$ has passed
below it. Some steps later it gives way, abruptly and to below the limit, and in most runs the error jumps (last
numbers, one for each initialisation) before it falls again; from then on it hovers near the limit. (Somewhat above it
is no contradiction: the curvature is that of all examples, the steps see 32 of them.) So it is not time, nor
distance, that flattens the landscape, but the rate: a step beyond the limit overshoots the steep directions, and
where the network recovers, it is flatter. The ramp keeps the throw small enough to recover from. Gilmer et al. 2021
and Kalra & Barkeshli 2024 report this for real networks, and the latter conclude that the main effect of warmup is to
make a larger peak usable.

**How much larger?** We need a definition. A run *trains* if after 300 steps, warmup included, its error over all 256
examples is below 0.5: half of what predicting the mean gives. (It is the *training* error; the five initialisations
share data and batches.) The limit of an initialisation is the largest rate that trains, on a grid of factors
$\sqrt2$. (A grid, so that all rates and initialisations are trained at once, side by side. A warmup of one step is
none. A run that ends soon after its ramp might pass only for want of time; the third cell checks that.) Before you
run it: for which gain will warmup help most?
"""

# %%
grid = torch.tensor(2.0 ** np.arange(-5.5, 0.1, 0.5), dtype=torch.float32)
lengths = torch.tensor([1, 4, 16, 64, 256])  # 1: no warmup
peak_rates, warmup_steps = grid.repeat_interleave(len(lengths)), lengths.repeat(len(grid))  # every pair
final = {}  # gain → errors, shape (num_seeds, rates, lengths)
for name, gain in tqdm(gains.items(), unit=" gains", delay=1, leave=False):
    copies = [matrix.repeat_interleave(len(peak_rates), dim=0) for matrix in initial_weights(gain)]
    weights = train(copies, peak_rates.repeat(num_seeds), warmup_steps.repeat(num_seeds), range(300))
    final[name] = mean_squared_errors(weights, inputs, targets).view(num_seeds, len(grid), len(lengths)).numpy()

# %%
rates = grid.numpy()
limits = {}  # gain → shape (num_seeds, lengths); 0 where no rate trains
for name in gains:
    limits[name] = np.where(final[name] < 0.5, rates[:, None], 0).max(axis=1)
    medians = np.median(limits[name], axis=0)
    steep = np.median(top_curvature(initial_weights(gains[name])).numpy())
    before, after = medians[0], medians[3]
    print(f"gain {name:2s}: median limit {before:.2f} without warmup ({before * steep / 2:.1f} × 2/curvature)", end="")
    print(f", {after:.2f} with 64 steps ({after / before:.1f} × as high)")

# %%
longer = []
for gain in gains.values():
    copies = [matrix.repeat_interleave(len(grid), dim=0) for matrix in initial_weights(gain)]
    weights = train(copies, grid.repeat(num_seeds), torch.full((num_seeds * len(grid),), 64), range(64 + 300))
    errors = mean_squared_errors(weights, inputs, targets).view(num_seeds, len(grid)).numpy()
    longer.append(np.median(np.where(errors < 0.5, rates, 0).max(axis=1)))
print("median limits with 64 steps of warmup and 300 after it:", *(f"{limit:.2f}" for limit in longer))

# %%
fig, axes = plt.subplots()
for name in gains:
    axes.plot(range(5), np.median(limits[name], axis=0), "o-", label=f"gain {name}")
    axes.fill_between(range(5), limits[name].min(axis=0), limits[name].max(axis=0), alpha=0.15)
axes.set_xticks(range(5), ["none", *lengths[1:].tolist()])
axes.set(xlabel="warmup steps, out of 300", ylabel="largest peak rate that trains", yscale="log")
axes.set_yticks([0.02, 0.05, 0.1, 0.2, 0.5, 1], labels=["0.02", "0.05", "0.1", "0.2", "0.5", "1"])
axes.minorticks_off()
_ = axes.legend(loc="lower right")

# %% [markdown]
r"""
**What you see.** Without warmup the limit depends on how steep the start is: it is several times lower for gain 2
than for gain 1. With 64 steps of warmup the three come together to within a factor of about two. So warmup buys much
where the start is steep, about a factor of two at the usual start (gain $\sqrt2$), and at most a notch of the grid at
a flat one (gain 1). Most of it is bought by the first 16 to 64 steps.

Even without warmup the limit is more than $2/\lambda$ of the start, two to five times: a network, unlike a quadratic,
can be thrown out of a steep place and land in a flat one (Lewkowycz et al. 2020 call it a catapult). And what happens
beyond the limit?
"""

# %%
row = int(np.argmin(np.abs(rates - 0.5)))
print("gain √2, peak 0.5, final errors")
for name, column in (("no warmup", 0), ("W = 64", 3)):
    print(f"{name:9s}", np.sort(final["√2"][:, row, column]).round(2))

# %%
beyond = np.concatenate([final[name][rates[:, None] > limits[name][:, None, :]] for name in gains])
overflowed, constant = ~np.isfinite(beyond), np.abs(beyond - 1) < 0.01
print(
    f"{len(beyond)} runs beyond the limit: {overflowed.sum()} overflowed, {constant.sum()} ended with an error of 1,",
    end=" ",
)
print(f"{(~overflowed & ~constant).sum()} neither")

# %%
print("smallest median error over all rates of the grid, and the rate that gave it")
print("          " + "".join(f"{f'W = {length}':>16s}" for length in lengths))
for name in gains:
    medians = np.median(np.nan_to_num(final[name], nan=np.inf), axis=0)  # shape (rates, lengths)
    print(f"gain {name:2s}   " + "".join(f"{each.min():8.3f} at {rates[each.argmin()]:.2f}" for each in medians.T))

# %% [markdown]
r"""
**What you see.** Runs beyond the limit fail in different ways. Some overflow (`nan`). Many end with an error of 1:
the network predicts the mean for everything. (Rectified units can be pushed to where they never switch on again, for
any example.) The loss is then finite and constant, and nothing warns. The rest, nearly all in between, still learn a
little.

Is the larger rate worth having? The last table gives each $W$ its own best rate. For the steep start the final error
falls to less than half, for the usual start by less, for the flat one not at all. And 256 steps out of 300 are worse
than 64 at every start: the peak comes when the run is nearly over. Warmup pays by its peak and costs area (section
4.2). It should last until the steep start is behind, and no longer.

## 4.7 What warmup does not buy

**A batch beyond the noise scale.** Lesson 03 gave the expected gain $\Delta L$ of one step of rate $\eta$, and the
rate $\eta_\text{max}$ that gains most without noise, $\Delta L_\text{max}$. In these units, with $x =
\eta/\eta_\text{max}$:

$$
\frac{\Delta L}{\Delta L_\text{max}} = 2x - x^2\Big(1 + \frac{B_\text{noise}}{B}\Big), \qquad
\text{largest at } x = \frac{1}{1 + B_\text{noise}/B}, \text{ where it is } \frac{1}{1 + B_\text{noise}/B} .
$$

A schedule chooses one $x$ after the other. Whatever it chooses, no step gains more than the value on the right, and
that saturates as $B$ grows: beyond $B_\text{noise}$ a larger batch adds little to a step, with any warmup. A warmup
changes *when* the peak is reached, not what a step at the peak does there. Lesson 03 found that a linear rule
anchored on a tuned rate makes every step at its peak raise the expected loss, once $B > B_\text{noise} + 2B_0$. A
ramp that leads there only puts that off, unless it also flattens (section 4.6), for then $\eta_\text{max}$ itself
grows. Otherwise what fails is the peak, and the repair is a smaller one. (A textbook calls warmup the repair for the
one place where the linear rule is invalid. This is another one.)

And mind two lessons of this one together: count a warmup in epochs or examples, but flattening takes a number of
*steps*. At very large batches a few epochs may be too few steps for it.

**Adam's first steps** are another reason to start slowly. Its first averages are $m_1 = (1-\beta_1)\,g$ and $v_1 =
(1-\beta_2)\,g^2$; the bias correction divides them by $1-\beta_1$ and $1-\beta_2$, which leaves $g$ and $g^2$. The
first step is

$$
\eta\,\frac{g}{\sqrt{g^2} + \varepsilon} \approx \eta\,\operatorname{sign}(g) :
$$

full length in each coordinate, however small or noisy its gradient. First four coordinates with gradients of very
different sizes, then gradients that are *nothing but noise*, in 2000 coordinates:
"""

# %%
weights = torch.nn.Parameter(torch.zeros(4))
optimizer = torch.optim.Adam([weights], lr=0.01)
weights.grad = torch.tensor([1e-5, -1e-2, 1.0, -1000.0])
optimizer.step()
for gradient, move in zip(weights.grad, weights.detach(), strict=True):
    print(f"gradient {gradient:+.5f}: first step {move:+.5f}")

# %%
weights = torch.nn.Parameter(torch.zeros(2000))
optimizer = torch.optim.Adam([weights], lr=1.0)
generator, m, moves_of_adam, moves_of_m = torch.Generator().manual_seed(0), 0, [], []
for step in range(200):
    before = weights.detach().clone()
    weights.grad = torch.randn(2000, generator=generator)
    optimizer.step()
    m = 0.9 * m + 0.1 * weights.grad
    moves_of_adam.append((weights.detach() - before).square().mean().sqrt().item())
    moves_of_m.append((m / (1 - 0.9 ** (step + 1))).square().mean().sqrt().item())
print("typical move of a coordinate, × rate: Adam, and with v at its true value 1")
for step in (0, 1, 4, 19, 199):
    print(f"step {step:3d}: {moves_of_adam[step]:.2f} {moves_of_m[step]:.2f}")
print(f"in the long run: {((1 - 0.9) / (1 + 0.9)) ** 0.5:.2f}")

# %% [markdown]
r"""
**What you see.** On pure noise, the first step is more than four times as long as late ones, because an average over
few gradients cannot cancel it. (In the long run the average of noise of variance 1 has the variance
$(1-\beta_1)/(1+\beta_1)$, and the last line is its root.) It is the numerator at work: with $v$ at its true value the
lengths are the same. Liu et al. 2019 argue for another early effect, the large variance of $1/\sqrt{v}$ while few
gradients are in it; this experiment does not show it.

**A ramp for the batch** is another thing. A ramp of the rate keeps early steps short. A ramp of the batch saves
examples as long as a small batch is all that the gradients need, because the noise scale is small early in training
and grows (lesson 06). GPT-3 raised its batch linearly from 32 thousand tokens to the full value over the first 4 to
12 billion tokens (Brown et al. 2020). Merrill et al. 2025 doubled the batch whenever their measurements allowed it,
raised Adam's rate by $\sqrt2$ each time, and trained OLMo 1B to a slightly better loss with 43 % fewer steps than at
the small batch. Lesson 06 returns to it.

## Exercise 4.7: `quiz_warmup` (1 point, 5 minutes, core)

Which of these statements hold? Answer with a set of letters.

- **A** In the ImageNet runs of section 4.1 at a batch of 8192, leaving out the warmup made training diverge.
- **B** In the same runs, constant warmup ended with a higher error than no warmup.
- **C** Since the linear rule raises the peak with the batch, the number of warmup *steps* should grow in proportion
  to the batch.
- **D** If peak and warmup steps both grow in proportion to the batch, two runs that are both still in their warmup
  have collected the same area after the same number of steps.
- **E** In the quadratic model of section 4.7, warmup lets the linear rule be used for batches far beyond the noise
  scale.
- **F** With `torch.optim.SGD`, the momentum buffer must be rescaled whenever the rate changes.
- **G** A rate tuned for SGD without momentum can be kept when momentum 0.9 is switched on.
- **H** On a quadratic, a longer warmup does not raise the largest stable peak rate.
- **I** A checkpoint from which a run with `LinearLR` is to go on in the middle of its warmup must hold the
  scheduler's state, or the number of steps done.
"""

# %% solution="quiz_warmup"
### BEGIN SOLUTION answer_quiz_warmup = set()  # for example {"A", "B"}
answer_quiz_warmup = {"B", "D", "H", "I"}
### END SOLUTION

# %% tests="quiz_warmup_choice" points=1
# The verdict on each of your letters, with the reason.
check_choice("quiz_warmup", answer_quiz_warmup)

# %% [markdown]
r"""
## Recap

* Gradual warmup gives step $t$ the rate $\eta_\text{peak}(t+1)/W$; constant warmup did worse than none in the
  ImageNet experiment of Goyal et al.
* The area under the rate is the distance in slow directions; a ramp costs $(W-1)/2$ steps at the peak. With peak and
  $W$ both in proportion to $B$, the batch cancels.
* Count a warmup in epochs or examples. In steps its share of the run grows with $B$, in steps per batch with $B^2$.
* A momentum buffer that holds rates must be rescaled when the rate changes; PyTorch's does not hold them.
* Step the scheduler after the optimizer, with whole numbers, save its state, and look at the rates that are used.
* With SGD, warmup bought a larger peak where the start is steep, by flattening it. It buys nothing on a quadratic,
  next to nothing at a flat start, and does not raise what a step can gain beyond the noise scale.

**Where this breaks.** We measured one small network with SGD; the size of the gain depends on the network, and for
Adam the curvature that counts is that of the loss in rescaled coordinates. The area argument holds in directions with
$\eta\lambda \ll 1$ and without noise. That a rate tuned without momentum should be multiplied by $1-m$ is a first
guess, not a law.

**Sources.** Goyal et al. 2017 (arXiv 1706.02677), section 2.2, Table 1 and remark 2; He et al. 2015 (1502.01852); Liu
et al. 2019 (1908.03265); Lewkowycz et al. 2020 (2003.02218); Xiong et al. 2020 (2002.04745); Brown et al. 2020
(2005.14165); Gilmer et al. 2021 (2110.04369); Kalra & Barkeshli 2024 (2406.09405); Merrill et al. 2025 (2505.23971);
documentation and behaviour of `torch.optim.lr_scheduler` in PyTorch 2.13.
"""
