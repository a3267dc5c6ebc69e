# %% [markdown]
r"""
# 07 · Can an optimizer move the knee?

Past the critical batch size, more workers buy little. Books say that this is a matter of the optimizer: with
momentum, with LARS or LAMB, the knee lies further out, and the idle part of the cluster can be used after all. This
lesson tests the claim where the answer can be computed exactly, then writes both layer-wise optimizers, and then runs
a race with equal chances for everybody. "It did not help here" is an allowed result.

**You will** derive the expected loss of noisy gradient descent, with momentum and with a preconditioner, and check it
against thousands of runs; compute the knee of each; write LARS and LAMB in PyTorch and test what their trust ratio
does and does not do; show why a textbook's version of it never moves; and judge a comparison by its two numbers, not
by one.

**You need** lessons 03 and 05; for sections 7.5 to 7.7 PyTorch tensors and optimizers.

**Minutes** 120

**Points** 15
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
import torch
from tqdm.auto import tqdm

from largebatch import demos
from largebatch.check import WrongAnswer, check, described
from largebatch.descent import ExcessLoss, crossing
from largebatch.knee import fit, resampled_steps, uneven_problem
from largebatch.logistic import sigmoid
from largebatch.quiz import check_choice

plt.style.use("largebatch.course")
torch.set_num_threads(1)  # for tensors as small as these, several threads only wait for each other
torch.set_default_dtype(torch.float64)

# %% [markdown]
r"""
| symbol | in code | meaning | unit |
|---|---|---|---|
| $\theta$ | `theta`, `weights` | distance from the minimum along one direction; weights of a layer | – |
| $h$ | `curvature` | second derivative of the loss along a direction ($\lambda$ in lesson 03) | loss / $\theta^2$ |
| $c$ | `noise` | variance of the gradient of one example along it | (loss / $\theta$)² |
| $m = \mathbb E\,\theta_0^2$ | `start` | mean square of the distance at the start | $\theta^2$ |
| $\eta$, $\beta$ | `rate`, `momentum` | learning rate; share of the last update that is kept | $\theta$ / gradient, – |
| $p$ | `power` | exponent of the preconditioner $h^{-p}$ | – |
| $S_{\min},\ E_{\min},\ B_\text{crit}$ | `s_min`, `e_min`, `b_crit` | fewest steps, fewest examples, their ratio (lesson 05) | steps, examples, examples |
| $\lVert w\rVert,\ \lVert g\rVert$ | – | norm of a layer's weights, of its gradient | $\theta$, gradient |

## 7.1 One direction

**Smallest case.** A parabola with curvature $h = 0.5$, at $\theta = 4$: the loss $\frac12 h\theta^2$ is 4. The
gradient of one example has mean $h\theta$ and variance $c = 8$; a batch of 4 has variance 2. One step with rate 0.4
lands at $\theta - 0.4\,(0.5\,\theta + \text{noise})$: on average at $0.8\cdot 4 = 3.2$, with variance $0.4^2\cdot 2 =
0.32$. The expected loss there is $\frac12\cdot 0.5\cdot(3.2^2 + 0.32) = 2.64$.

For any number of steps, let $V_t = \mathbb E\,\theta_t^2$ and let $\xi_t$ have mean 0 and variance 1. One step is

$$
\theta_{t+1} = \theta_t - \eta\left(h\,\theta_t + \sqrt{c/B}\;\xi_t\right)
= (1-\eta h)\,\theta_t - \eta\sqrt{c/B}\;\xi_t .
$$

Square it and take the mean. The mixed term is $-2(1-\eta h)\,\eta\sqrt{c/B}\;\mathbb E[\theta_t\,\xi_t]$, and it
vanishes because the noise of this step is independent of where the run is:

$$
V_{t+1} = r^2\,V_t + \eta^2\,\frac cB ,\qquad r = 1-\eta h .
$$

Each step shrinks the old mean square by $r^2$ and adds the same amount of new noise. Where both balance, $V_\infty =
r^2 V_\infty + \eta^2 c/B$, so

$$
V_\infty = \frac{\eta^2 c/B}{1-r^2} = \frac{\eta^2 c/B}{\eta h\,(2-\eta h)} = \frac{\eta\,c}{B\,h\,(2-\eta h)} .
$$

Subtract this equation from the recursion: $V_{t+1} - V_\infty = r^2\,(V_t - V_\infty)$. So the difference shrinks by
$r^2$ in every step, and with the loss $\frac12 h V$

$$
\mathbb E\,L_t = \underbrace{\tfrac12 h\,r^{2t}\,V_0}_{\text{without noise}} +
\underbrace{\left(1-r^{2t}\right)\frac{\eta\,c}{2B\,(2-\eta h)}}_{\text{from noise}} .
$$

It converges if $r^2 < 1$, that is for $0 < \eta < 2/h$; and then not to 0 but to a **floor**, $\eta c / (2B(2-\eta
h))$. Now let 2000 runs speak. Before you run it: which of the three batches comes down fastest?
"""

# %%
curvature, noise, theta_0, rate = 0.5, 8.0, 4.0, 0.4
rng, num_runs, num_steps = np.random.default_rng(0), 2000, 40
simulated = {}
for batch_size in (4, 32, 256):
    theta, losses = np.full(num_runs, theta_0), []
    for _ in range(num_steps + 1):
        losses.append(curvature * theta**2 / 2)
        gradient = curvature * theta + np.sqrt(noise / batch_size) * rng.standard_normal(num_runs)
        theta = theta - rate * gradient
    simulated[batch_size] = np.array(losses)  # shape (steps + 1, runs)

# %%
step_numbers = np.arange(num_steps + 1)
fig, axes = plt.subplots()
for batch_size, losses in simulated.items():
    shrunk = (1 - rate * curvature) ** (2 * step_numbers)
    floor = rate * noise / (2 * batch_size * (2 - rate * curvature))
    formula = shrunk * curvature * theta_0**2 / 2 + (1 - shrunk) * floor
    (line,) = axes.semilogy(step_numbers, formula, label=f"B = {batch_size}")
    axes.semilogy(step_numbers[::2], losses.mean(axis=1)[::2], "o", ms=4, color=line.get_color())
    axes.axhline(floor, color=line.get_color(), lw=1, ls=":")
    error = losses.std(axis=1)[1:] / num_runs**0.5
    worst = np.abs((losses.mean(axis=1)[1:] - formula[1:]) / error).max()
    print(
        f"B = {batch_size:3d}: floor {floor:.4f}; farthest from the formula: {worst:.1f} standard errors of {num_runs} runs"
    )
axes.set(xlabel="step", ylabel="expected loss")
_ = axes.legend()

# %% [markdown]
r"""
**What you see.** Dots (the mean of the runs) on lines (the formula). All three batches come down *equally* fast,
until each arrives at its floor: the batch size does not enter $r$. A larger batch helps in two ways only: it lowers
the floor, and because of that it allows a larger rate, which (up to $1/h$) comes down faster and has a higher floor.

And the formula comes in two parts, of which only one knows the batch size, and that as a plain factor $1/B$. So one
table of both parts, for many rates and steps, answers every question about every batch size.

## Exercise 7.1: `expected_loss_of_sgd` (2 points, 8 minutes, core)

A loss with many directions is a sum, $\sum_i \frac12 h_i\theta_i^2$, and in a quadratic they do not see each other:
each follows the formula above, all with the same rate (Zhang et al. 2019 call it the *noisy quadratic model*). Return
the expected loss.

- `curvatures` $h_i$, `noises` $c_i$ (of one example), `starts` $m_i = \mathbb E\,\theta_{i,0}^2$: lists or arrays of
  one length
- `rate`, `batch_size`, `num_steps`: numbers
- returns the expected loss after `num_steps` steps, a float; for `[0.5]`, `[8]`, `[16]`, rate 0.4, batches of 4 and
  one step, 2.64
- it need not be the closed form: the recursion in a loop is right, too

<details><summary>Hint 1 (click to open): what is carried from step to step?</summary>

One number for each direction, $V$. It begins at `starts`, and each step turns it into $r^2 V + \eta^2 c/B$.
</details>

<details><summary>Hint 2 (click to open): and the loss?</summary>

At the end, once: the sum of $\frac12 h\,V$ over the directions. With `np.asarray` all directions are done at once.
</details>
"""


# %% solution="expected_loss_of_sgd"
def expected_loss_of_sgd(curvatures, noises, starts, rate, batch_size, num_steps):
    """Return the expected loss of the noisy quadratic after num_steps steps."""
    ### BEGIN SOLUTION
    curvatures, mean_squares = np.asarray(curvatures), np.asarray(starts, float)
    for _ in range(num_steps):
        mean_squares = (1 - rate * curvatures) ** 2 * mean_squares + rate**2 * np.asarray(noises) / batch_size
    return (curvatures * mean_squares).sum() / 2
    ### END SOLUTION


# %% tests="expected_loss_of_sgd_by_hand" points=1
# Two directions, h = 2 and 0.5, with rate 0.6 and batches of 4, after 3 steps.
check(
    expected_loss_of_sgd([2.0, 0.5], [5.0, 3.0], [1.0, 9.0], 0.6, 4, 3),
    0.850276,
    what="expected loss",
    mistakes={
        "in a step the mean square shrinks by (1 - ηh)²; the distance itself by 1 - ηh": 1.289575,
        "the mean square shrinks by (1 - ηh)²; 1 - 2ηh leaves out the (ηh)²": -1.7927,
        "the starts are mean squares already": 2.967958,
        "between 1/h and 2/h a direction overshoots in each step, and converges all the same": np.inf,
        "the mean square shrinks by (1 - ηh)^2t in t steps; the distance itself by (1 - ηh)^t": 1.323205882,
        "the noises are variances already, not standard deviations": 2.9587195,
        "the variance of a batch is c / B; its root is what falls with √B": 1.43577775,
        "the noise is missing": 0.26477425,
        "the noise adds the variance η² c / B in each step, not its root": 0.8188581126,
        "the share of the floor is 1 - r^2t, not 1 - r^t": 0.8242301324,
        "the noise of a batch of B has the variance c / B": 2.60678125,
        "the variance of a batch is c / B, not c / B²": 0.4111496875,
        "the floor is ηc / (2B (2 - ηh)); ηc / 2B leaves the bracket out, ηc / 4B sets it to 2": 0.838279225,
        "the bracket 2 - ηh of the floor is not 2, which it nears for small rates only": 0.5515267375,
        "the floor is reached in the long run; after t steps the noise has filled the share 1 - r^2t of it": 0.8658771912,
        "the factor ½ of the loss is missing": 1.700552,
        "these are squared distances; the loss is ½ h times that": 1.994752,
        "this is one step less": 1.1104,
        "this is one step more": 0.72318244,
        "noise enters as η² c / B; this has η c / B": 1.2406105,
        "asked for is the sum over the directions, not their mean": 0.425138,
    },
)

# %% tests="expected_loss_of_sgd_properties" points=1
# Checked when you are graded: no step at all; the floor; beyond 2 / h; an endless batch; the noise at two batch sizes.
### BEGIN HIDDEN TESTS
check(expected_loss_of_sgd([2.0, 0.5], [5.0, 3.0], [1.0, 9.0], 0.6, 4, 0), 3.25, what="before the first step")
check(expected_loss_of_sgd([0.5], [8], [16], 0.4, 4, 1), 2.64, what="the example, in whole numbers")
check(
    expected_loss_of_sgd([2.0, 0.5], [5.0, 3.0], [1.0, 9.0], 0.6, 4, 500),
    0.6 * 5 / (8 * 0.8) + 0.6 * 3 / (8 * 1.7),
    what="after 500 steps: the floor",
)
check(expected_loss_of_sgd([1.0], [0.0], [1.0], 2.5, 1, 2), 0.5 * 1.5**4, what="ηh = 2.5: the loss grows")
check(expected_loss_of_sgd([1.0], [7.0], [1.0], 0.5, 1e12, 3), 0.5 * 0.5**6, what="an endless batch", rtol=1e-5)
_one = expected_loss_of_sgd([1.3], [7.0], [1.0], 0.5, 1, 6)
_two = expected_loss_of_sgd([1.3], [7.0], [1.0], 0.5, 2, 6)
_none = expected_loss_of_sgd([1.3], [0.0], [1.0], 0.5, 1, 6)
check((float(_one) - float(_none)) / (float(_two) - float(_none)), 2.0, what="noise at B = 1 over noise at B = 2")
### END HIDDEN TESTS

# %% [markdown]
r"""
## 7.2 The knee of a spectrum

Which curvatures and which noise? Two findings of lesson 05 say what we need: a long way even without noise, so
directions of very different curvature; and noise that is largest where the loss is steep. The standard choice (Zhang
et al. 2019) has $h_i = 1/i$, noise $c_i = h_i$, and every direction starting at $\mathbb E\,\theta^2 = 1$. We take
1000 directions; `quadratic`, the course's engine for this model, sorts them into groups of nearly equal curvature.
The target is again a share of the initial loss.

First the table for a few rates. From it, all batch sizes:
"""

# %%
from largebatch import quadratic

spectrum = quadratic.power_law(exponent=1.0, num_modes=1000)
limit = quadratic.largest_stable_rate(spectrum)
some_rates = limit * np.array([0.03, 0.1, 0.3, 0.9])
times = np.unique(np.geomspace(1, 20_000, 200).round().astype(int))
without_noise, from_noise = quadratic.expected_loss(spectrum, some_rates, times)  # shape (rates, steps)
print(f"initial loss ½ Σ 1/i = {spectrum.initial_loss:.3f}; largest stable rate {limit:.1f}")

fig, panels = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True)
for axes, batch_size in zip(panels, (16, 1024), strict=True):
    losses = (without_noise + from_noise / batch_size) / spectrum.initial_loss
    for rate, curve in zip(some_rates, losses, strict=True):
        axes.loglog(times, curve, label=f"rate {rate:.2f}")
    axes.axhline(0.03, color="0.5", lw=1, ls=":")
    axes.set(title=f"batch {batch_size}", xlabel="step")
panels[0].set_ylabel("expected loss / initial loss")
panels[0].legend(loc="lower left")
fig.tight_layout()

# %% [markdown]
r"""
**What you see.** The same four rates. With batches of 16, rate 0.60 is the first to reach 3 % of the initial loss
(dotted), and 1.80 never gets there: its floor lies above. With batches of 1024, 1.80 is the fastest by far. So the
rate must be tuned for every batch size, as in lesson 05, and here tuning costs nothing but reading the table.

## Exercise 7.2: `tuned_steps` (2 points, 8 minutes, core)

Read the knee off a table.

- `without_noise`, `from_noise`: both of shape (rates, times), so that the expected loss of batch size $B$ is
  `without_noise + from_noise / B`
- `times`: the steps that the columns stand for, ascending, shape (times,)
- `batch_sizes`: list or array; `target`: a loss
- returns for each batch size the fewest steps (an entry of `times`) at which *some* rate has brought the expected
  loss down to the target or below; `np.inf` where none has
- for `without_noise` = [[4, 2, 1]], `from_noise` = [[0, 4, 8]], times 0, 5, 10, target 3 and batches of 1, 4 and 100:
  `[inf, 5, 5]`

<details><summary>Hint 1 (click to open): the shape of the question</summary>

For one batch size, `losses <= target` is an array of yes and no, of shape (rates, times). The answer is the earliest
column that holds a yes in any row.
</details>

<details><summary>Hint 2 (click to open): the earliest</summary>

`reached = (losses <= target).any(axis=0)` has shape (times,). `times[reached].min()` fails where nothing is reached,
so ask `reached.any()` first. </details>
"""


# %% solution="tuned_steps"
def tuned_steps(without_noise, from_noise, times, batch_sizes, target):
    """Return the fewest steps to the target for each batch size, the rate tuned for each; inf where no rate gets there."""
    ### BEGIN SOLUTION
    fewest = []
    for batch_size in batch_sizes:
        losses = np.asarray(without_noise) + np.asarray(from_noise) / batch_size
        reached = (losses <= target).any(axis=0)
        fewest.append(np.asarray(times)[reached].min() if reached.any() else np.inf)
    return fewest
    ### END SOLUTION


# %% tests="tuned_steps_by_hand" points=1
# Three rates, five times: a slow one with little noise; one that dips below the target and rises again; a fast and noisy one.
_without = np.array([[8.0, 6.0, 4.0, 1.5, 1.0], [8.0, 3.0, 1.0, 0.5, 0.2], [8.0, 1.0, 0.1, 0.0, 0.0]])
_from = np.array([[0.0, 0.0, 0.0, 0.5, 0.0], [0.0, 1.0, 2.0, 8.0, 12.0], [0.0, 8.0, 12.0, 16.0, 14.4]])
check(
    tuned_steps(_without, _from, [0, 10, 20, 40, 80], [1, 3, 16], 2.0),
    [40, 20, 10],
    unit="steps",
    mistakes={
        "this takes one rate for all batches, the best for the largest of them; tune it for each": [np.inf, np.inf, 10],
        "this takes one rate for all batches, the best for the smallest of them; tune it for each": [40, 40, 40],
        "this takes the rate that is lowest at the last time, or waits until the loss stays below; asked for is the "
        "first time at the target, of any rate": [40, 40, 10],
        "argmax of a row without a single True is 0: ask for any() first": [0, 0, 10],
        "the target is a loss already, not a share of the initial one": [0, 0, 0],
        "this waits until every rate is there; one is enough": [np.inf, np.inf, 40],
        "this interpolates; asked for is an entry of times": [40, 18, 120 / 13],
        "these are columns of the table; asked for are the steps that they stand for": [3, 2, 1],
        "this is where the loss is lowest; asked for is where it first comes down to the target": [80, 80, 20],
        "the noise is missing: from_noise / B belongs to the loss": [10, 10, 10],
        "the variance of the noise falls with B, not with its root": [40, 40, 20],
        "this multiplies the noise by B; divide": [40, 80, 80],
        "this is the last time at or below the target; asked for is the first": [80, 80, 80],
        "at the target counts as arrived": [80, 20, 10],
    },
)
check(
    tuned_steps([[4.0, 2.0, 1.0]], [[0.0, 4.0, 8.0]], [0, 5, 10], [1], 1.5),
    [np.inf],
    unit="steps",
    what="a batch that never gets there",
    mistakes={
        "argmax of an array without a single True is 0: ask for any() first": [0],
        "this is the last time of the table; where no rate gets there, np.inf is asked for": [10],
        "where no rate gets there, np.inf is asked for; this is nan": [np.nan],
        "where no rate gets there, np.inf is asked for; this is -1": [-1],
    },
)

# %% tests="tuned_steps_properties" points=1
# Checked when you are graded: the model itself; batch sizes in any order; a target at the very start.
### BEGIN HIDDEN TESTS
_rates = limit * np.geomspace(0.001, 0.99, 40)
_tables = quadratic.expected_loss(spectrum, _rates, times)
for _target in (0.3, 0.1):
    _sizes = np.array([512.0, 8.0, 64.0, 4096.0])
    _truth = []
    for _size in _sizes:
        _reached = (_tables[0] + _tables[1] / _size <= _target * spectrum.initial_loss).any(axis=0)
        _truth.append(times[_reached.argmax()] if _reached.any() else np.inf)
    _answer = tuned_steps(*_tables, times, _sizes, _target * spectrum.initial_loss)
    check(_answer, _truth, unit="steps", what=f"the spectrum above, target {_target:.0%}")
check(tuned_steps([[4.0, 2.0, 1.0]], [[0.0, 4.0, 8.0]], [0, 5, 10], [1, 4, 100], 3.0), [np.inf, 5, 5], what="lists")
check(tuned_steps([[4.0, 5.0]], [[0.0, 0.0]], [0, 1], [3], 4.0), [0], what="at the target from the start")
### END HIDDEN TESTS

# %% [markdown]
r"""
`quadratic.knee` does this with a fine search over the rates and an interpolated crossing. (With momentum the loss can
swing; there, a dip that it leaves again at once does not count.) The knee of SGD, fitted as in lesson 05:
"""

# %%
batches = 2.0 ** np.arange(17)
target = 0.03
steps_of_sgd, rates_of_sgd = quadratic.knee(spectrum, batches, target)
s_min, b_crit = fit(batches, steps_of_sgd)
print("batch     best rate / limit     steps   examples   steps / law")
for size, rate, count in list(zip(batches, rates_of_sgd, steps_of_sgd, strict=True))[::2]:
    print(
        f"{size:6.0f} {rate / limit:16.4f} {count:12.1f} {size * count:10.0f} {count / (s_min * (1 + b_crit / size)):10.2f}"
    )
print(f"S_min = {s_min:.0f} steps, E_min = {s_min * b_crit:.0f} examples, B_crit = {b_crit:.0f} examples")

# %% [markdown]
r"""
**What you see.** Everything that lessons 03 and 05 measured, now without any luck: the best rate grows linearly with
the batch and then stops just below the largest stable one; steps halve, then stay; and the law $S_{\min}(1 +
B_\text{crit}/B)$ describes both to within 10 % (last column).

Now change the optimizer and nothing else.

## 7.3 Momentum, a system of two

Momentum (the *heavy ball*) keeps a second number for each direction, the velocity $v$:

$$
v_{t+1} = \beta\,v_t + g_t ,\qquad \theta_{t+1} = \theta_t - \eta\,v_{t+1},\qquad
g_t = h\,\theta_t + \sqrt{c/B}\;\xi_t .
$$

Insert the first equation into the second, and write both as one:

$$
\begin{pmatrix}\theta\\ v\end{pmatrix}_{t+1} =
\underbrace{\begin{pmatrix}1-\eta h & -\eta\beta\\ h & \beta\end{pmatrix}}_{A}
\begin{pmatrix}\theta\\ v\end{pmatrix}_t +
\sqrt{c/B}\;\xi_t\underbrace{\begin{pmatrix}-\eta\\ 1\end{pmatrix}}_{u} .
$$

What has to be carried along now is the matrix of second moments, $P = \mathbb E\begin{pmatrix}\theta^2&\theta v\\
\theta v& v^2\end{pmatrix}$. The same argument as in 7.1, with a matrix in the place of $r$: the mixed terms vanish,
and

$$
P_{t+1} = A\,P_t\,A^\top + \frac cB\,u\,u^\top ,\qquad
P_0 = \begin{pmatrix}m & 0\\ 0 & 0\end{pmatrix},\qquad \mathbb E\,L_t = \tfrac12 h\,(P_t)_{\theta\theta} .
$$

**When is it stable?** When both eigenvalues of $A$ lie inside the unit circle. Its trace is $1+\beta-\eta h$ and its
determinant $(1-\eta h)\beta + \eta\beta h = \beta$, so they are the roots of $z^2 - (1+\beta-\eta h)\,z + \beta = 0$.
While they are a complex pair, both have the size $\sqrt\beta < 1$. While they are real, they have the sign of the
trace, their product is $\beta < 1$, and the larger one first touches the circle at $z = 1$ or at $z = -1$. Insert: $z
= 1$ gives $\eta h = 0$, and $z = -1$ gives $1 + (1 + \beta - \eta h) + \beta = 0$, that is

$$
\eta\,h = 2\,(1+\beta).
$$

So momentum of 0.9 nearly doubles the largest stable rate, while every gradient counts $1/(1-\beta) = 10$ times in the
end (lesson 03, trap 1). The first of the two, by the eigenvalues:
"""


# %%
def system(curvature, rate, momentum):
    """Return the matrix A that carries (θ, v) one step on."""
    return np.array([[1 - rate * curvature, -rate * momentum], [curvature, momentum]])


print("momentum   largest η h that is stable:   by eigenvalues   2 (1 + β)")
for momentum in (0.0, 0.5, 0.9, 0.99):
    products = np.linspace(0.01, 4.5, 4491)
    sizes = [np.abs(np.linalg.eigvals(system(1.0, product, momentum))).max() for product in products]
    print(f"{momentum:8.2f} {products[np.array(sizes) < 1 + 1e-9].max():45.3f} {2 * (1 + momentum):11.3f}")

# %% [markdown]
r"""
## Exercise 7.3: `momentum_loss` (3 points, 12 minutes, challenge)

Return the expected loss of one direction under momentum.

- `curvature` $h$, `noise` $c$ (of one example), `start` $m$: numbers; likewise `rate`, `momentum`, `batch_size`,
  `num_steps`
- the velocity begins at 0; returns a float
- for $h = 0.5$, $c = 8$, $m = 16$, rate 0.4, momentum 0.5, batches of 4: after one step 2.64, as without momentum;
  after two, 1.3816

<details><summary>Hint 1 (click to open): what has to be carried?</summary>

$P$, a 2 × 2 array, not the mean of $(\theta, v)$: the mean knows nothing of the noise. Each step is one line with
`@`. </details>

<details><summary>Hint 2 (click to open): the noise</summary>

`np.outer(u, u) * noise / batch_size` with `u = np.array([-rate, 1.0])`. The same random number hits $\theta$ and $v$,
hence the entries beside the diagonal.
</details>
"""


# %% solution="momentum_loss"
def momentum_loss(curvature, noise, start, rate, momentum, batch_size, num_steps):
    """Return the expected loss of one direction after num_steps steps of the heavy ball."""
    ### BEGIN SOLUTION
    matrix = np.array([[1 - rate * curvature, -rate * momentum], [curvature, momentum]])
    added = noise / batch_size * np.outer([-rate, 1.0], [-rate, 1.0])
    moments = np.array([[start, 0.0], [0.0, 0.0]])
    for _ in range(num_steps):
        moments = matrix @ moments @ matrix.T + added
    return curvature * moments[0, 0] / 2
    ### END SOLUTION


# %% tests="momentum_loss_by_hand" points=1
# h = 0.5, c = 8, m = 16, rate 0.4, momentum 0.5, batches of 4, three steps.
check(
    momentum_loss(0.5, 8.0, 16.0, 0.4, 0.5, 4, 3),
    0.693304,
    what="expected loss after three steps",
    mistakes={
        "this is SGD without momentum; A * P * Aᵀ, entry by entry, comes to the same: use @": 1.212544,
        "this is SGD with the rate η / (1 - β): the same in the long run, not over three steps": 0.663296,
        "the noise is missing": 0.364816,
        "the noise hits θ in the same step, too, through -η v": 0.418616,
        "θ and v are hit by the same random number: the entries beside the diagonal are -η c / B": 0.573144,
        "the noise of a batch of B has the variance c / B": 1.678768,
        "the step uses the new velocity: θ - η (β v + g)": 1.26,
        "here v ← β v + g; this has (1 - β) g": 1.609816,
        "P becomes A P Aᵀ + noise; this is Aᵀ P A": 0.555194,
        "P becomes A P Aᵀ + noise; this is A P A": 0.294724,
        "P becomes A P Aᵀ + noise; the factor Aᵀ on the right is missing": 1.4872,
        "the same random gradient moves v up and θ down: -η beside 1": 0.452984,
        "the noise is a variance already, and so is c / B; this takes its root": 0.5970920923,
        "the start is a mean square already": 6.165544,
        "the factor ½ of the loss is missing": 1.386608,
        "this is E θ²; the loss is ½ h times that": 2.773216,
        "the loss is ½ h E θ², the upper left entry of P, not its trace": 2.660454,
        "these are two steps": 1.3816,
        "these are four steps": 0.45297976,
        "the sign in the matrix: θ moves by -η β v": 2.172984,
    },
)
check(momentum_loss(0.5, 8.0, 16.0, 0.4, 0.5, 4, 2), 1.3816, what="after two steps")

# %% tests="momentum_loss_against_runs" points=1
# 20 000 simulated runs, drawn here, with rate 1.3 and momentum 0.8: within five of their standard errors.
_rng, _theta, _v = np.random.default_rng(11), np.full(20_000, 2.0), np.zeros(20_000)
for _step in range(1, 26):
    _v = 0.8 * _v + 0.9 * _theta + np.sqrt(3.0 / 6) * _rng.standard_normal(20_000)
    _theta = _theta - 1.3 * _v
    if _step in (4, 25):
        _losses = 0.45 * _theta**2
        check(
            momentum_loss(0.9, 3.0, 4.0, 1.3, 0.8, 6, _step),
            _losses.mean(),
            what=f"mean loss of 20 000 runs after {_step} steps",
            rtol=0,
            atol=5 * _losses.std() / 20_000**0.5,
        )

# %% tests="momentum_loss_limits" points=1
# Checked when you are graded: no momentum is SGD; the exact model for many settings; the limit of stability.
### BEGIN HIDDEN TESTS
check(momentum_loss(2.0, 5.0, 1.0, 0.6, 0.0, 4, 3), 0.2**6 + (1 - 0.2**6) * 0.6 * 5 / (8 * 0.8), what="momentum 0")
for _h, _rate, _beta, _steps in (
    (1.0, 0.1, 0.9, 40),
    (0.3, 2.0, 0.5, 7),
    (1.0, 3.5, 0.95, 200),
    (0.01, 0.5, 0.99, 1000),
):
    _tables = quadratic.expected_loss(quadratic.Spectrum([_h], [2.0], [3.0], [1.0]), [_rate], [_steps], momentum=_beta)
    check(
        momentum_loss(_h, 2.0, 3.0, _rate, _beta, 8, _steps),
        float(_tables[0][0, 0] + _tables[1][0, 0] / 8),
        what=f"h {_h}, rate {_rate}, momentum {_beta}, {_steps} steps",
        rtol=1e-5,
    )
if not float(momentum_loss(1.0, 0.0, 1.0, 3.9, 0.9, 1, 300)) > 1.0:
    raise WrongAnswer("a loss that grows: rate 3.9 is beyond 2 (1 + 0.9)", "a loss that falls", "is A right?")
### END HIDDEN TESTS

# %% [markdown]
r"""
Now the knee of momentum. At each momentum and batch size the rate is tuned, so everybody gets the rate that suits
him. Before you run it: with momentum 0.9, will the fewest *examples* fall, too, or only the fewest *steps*? And is
0.99 better still?
"""

# %%
print("                                      steps at      rate / (1 - β) at B = 1,")
print("momentum   S_min   E_min   B_crit   B = 1   65536   relative to SGD   ln 0.03 / ln β")
knees = {}
for momentum in (0.0, 0.5, 0.8, 0.9, 0.99):
    knees[momentum], tuned_rates = quadratic.knee(spectrum, batches, target, momentum=momentum)
    s_min, b_crit = fit(batches, knees[momentum])
    relative = tuned_rates[0] / (1 - momentum) / rates_of_sgd[0]
    bound = np.log(target) / np.log(momentum) if momentum else 0
    print(
        f"{momentum:8.2f} {s_min:7.0f} {s_min * b_crit:7.0f} {b_crit:8.0f}"
        f"{knees[momentum][0]:8.0f} {knees[momentum][-1]:7.0f} {relative:17.2f} {bound:16.0f}"
    )

# %%
fig, panels = plt.subplots(1, 2, figsize=(9, 3.6))
for momentum, steps in knees.items():
    panels[0].loglog(batches, steps, label=f"β = {momentum}")
    panels[1].loglog(batches, batches * steps)
for axes, name in zip(panels, ("steps", "examples"), strict=True):
    axes.set(xlabel="batch size (examples)", ylabel=f"{name} to 3 % of the initial loss")
panels[0].legend()
fig.tight_layout()

# %% [markdown]
r"""
**What you see.** For small batches all five are *one* optimizer: at $B = 1$ they take the same steps to within 1 %,
with rates that differ by the factor $1-\beta$. (Each gradient counts $1/(1-\beta)$ times in the end, and where rates
are small, how it is spread over time does not matter.) So momentum saves no examples. At large batches it saves
steps: with 0.9 they fall to less than a seventh, and the knee moves right (78 → 660). (The fitted law bends
less sharply than these curves: it is off by up to a quarter, its $S_{\min}$ for 0.9 lies below what any batch needs,
and its $E_{\min}$ varies by a tenth where the steps at $B = 1$ are the same. Where they disagree, believe the steps.)
Here the claim of the books holds; Zhang et al. (2019) and, on real networks, Shallue et al. (2019) found just this.

But 0.99 gives it all back. The reason stands in section 7.3: the determinant of $A$ is $\beta$, whatever the rate. So
the larger of the two eigenvalues has at least the size $\sqrt\beta$, and in the long run the loss along a direction
shrinks by no more than the factor $\beta$ in a step. To come down to 3 % takes about $\ln 0.03/\ln\beta$ steps (the
last column). That is what holds back 0.9 and 0.99. (0.99 needs somewhat less: the directions swing, and at any moment
some of them are near their minimum.) For a long way and a high momentum that is a guide, and where the way is short,
even 0.9 hurts:
"""

# %%
short = quadratic.power_law(exponent=0.5, num_modes=100)
for momentum in (0.0, 0.5, 0.9):
    steps = quadratic.knee(short, batches, target, momentum=momentum)[0]
    s_min, b_crit = fit(batches, steps)
    print(f"momentum {momentum}: S_min {s_min:5.1f} steps, E_min {s_min * b_crit:4.0f} examples, ", end="")
    print(f"B_crit {b_crit:3.0f}; steps at B = 1: {steps[0]:.0f}, at 65536: {steps[-1]:.1f}")

# %% [markdown]
r"""
**What you see.** Momentum 0.5 helps a little; 0.9 needs four times the steps of SGD at large batches, and its knee
lies at a sixth. (At $B = 1$ all three take nearly the same steps, whatever $E_{\min}$ the fit gives them.) So "with
momentum" is not one optimizer. Where $\beta$ stays at 0.9 because it always was 0.9, the comparison is about 0.9.

## 7.4 Preconditioning, a change of coordinates

If some directions are steep and others flat, why one rate for all? A *preconditioner* divides the gradient of each
direction by a power of its curvature:

$$
\theta \leftarrow \theta - \eta\,h^{-p}\,g ,\qquad g = h\,\theta + \sqrt{c/B}\;\xi .
$$

$p = 0$ is SGD, $p = 1$ Newton's method. Adam is usually likened to $p = \frac12$: near an optimum the mean square of
a gradient is about proportional to $h$, and Adam divides by its root. Preconditioned steps would need a new
derivation, but for a trick: measure each direction with another ruler, $\varphi = h^{p/2}\,\theta$. Multiply the step
by $h^{p/2}$:

$$
\varphi \leftarrow \varphi - \eta\,h^{p/2}\,h^{-p}\left(h\,h^{-p/2}\varphi + \sqrt{c/B}\;\xi\right)
= \varphi - \eta\left(h^{1-p}\,\varphi + \sqrt{c\,h^{-p}/B}\;\xi\right) .
$$

That is *plain SGD* in a problem with other numbers, and the loss is the same: $\frac12 h\theta^2 = \frac12
h^{1-p}\varphi^2$. All that we know of SGD carries over.

## Exercise 7.4: `change_coordinates` (2 points, 7 minutes, core)

Return the problem in which plain SGD does what preconditioned SGD does in the old one.

- `curvatures`, `noises`, `starts`: arrays of shape $(n,)$, as in exercise 7.1; `power`: $p$ between 0 and 1
- returns three arrays, `(curvatures, noises, starts)` in the coordinates $\varphi$
- for one direction with curvature 4, noise 3, start 5 and $p = 1$: `([1], [0.75], [20])`

<details><summary>Hint 1 (click to open): two of them stand in the equation</summary>

Compare it with $\theta - \eta\,(h\theta + \sqrt{c/B}\,\xi)$ of section 7.1: what stands in the place of $h$, and what
in the place of $c$? </details>

<details><summary>Hint 2 (click to open): and the third?</summary>

$\mathbb E\,\varphi_0^2$, with $\varphi = h^{p/2}\theta$.
</details>
"""


# %% solution="change_coordinates"
def change_coordinates(curvatures, noises, starts, power):
    """Return curvatures, noises and starts of the problem in which SGD equals SGD preconditioned with h^-power here."""
    ### BEGIN SOLUTION
    curvatures = np.asarray(curvatures, float)
    return curvatures ** (1 - power), noises * curvatures**-power, starts * curvatures**power
    ### END SOLUTION


# %% tests="change_coordinates_by_hand" points=1
# Curvatures 16 and 1/16 with p = 1/4: powers of 2, different ones for each mistake.
_got = change_coordinates(np.array([16.0, 1 / 16]), np.array([3.0, 5.0]), np.array([1.0, 7.0]), 0.25)
if not isinstance(_got, tuple | list | np.ndarray) or len(_got) != 3:
    raise WrongAnswer("three arrays: curvatures, noises, starts", described(_got))
check(
    _got[0],
    [8.0, 1 / 8],
    what="curvatures",
    mistakes={
        "the curvatures have not changed": [16.0, 1 / 16],
        "this is h^p; the new curvature is h^(1-p)": [2.0, 0.5],
        "this is h^(1-2p)": [4.0, 0.25],
        "this is h^-p, the preconditioner itself": [0.5, 2.0],
        "this is h^(1-p/2): the ruler h^(p/2) acts on the step and on θ": [16**0.875, 16**-0.875],
        "this is h^(1+p); the preconditioner divides by h^p": [32.0, 1 / 32],
    },
)
check(
    _got[1],
    [1.5, 10.0],
    what="noises",
    mistakes={
        "the preconditioner acts on the noise, too": [3.0, 5.0],
        "this is the noise of the old coordinates, c h^-2p; the new ruler gives back h^p": [0.75, 20.0],
        "noises and starts are swapped; asked for are curvatures, noises, starts": [2.0, 3.5],
        "flat directions get more noise, not less: c h^-p": [6.0, 2.5],
        "the noise is a variance: h^(-p/2) scales its root": [
            3 * 16**-0.125,
            5 * 16**0.125,
        ],
    },
)
check(
    _got[2],
    [2.0, 3.5],
    what="starts",
    mistakes={
        "the starts are measured with the new ruler, too": [1.0, 7.0],
        "m is a mean square: it scales with the square of h^(p/2)": [16**0.125, 7 * 16**-0.125],
        "φ = h^(p/2) θ is larger in steep directions": [0.5, 14.0],
        "this is the root of the mean square of φ": [2**0.5, 3.5**0.5],
    },
)

# %% tests="change_coordinates_equivalence" points=1
# Checked when you are graded: the same loss before the first step; the same loss as the preconditioned run; p = 0 and 1.
### BEGIN HIDDEN TESTS
_h, _c, _m = np.array([1.0, 0.3, 0.02]), np.array([2.0, 0.1, 0.5]), np.array([1.0, 4.0, 9.0])
_old = quadratic.Spectrum(_h, _c, _m, np.ones(3))
for _power in (0.0, 0.3, 0.5, 1.0):
    _arrays = [np.asarray(part, float) for part in change_coordinates(_h, _c, _m, _power)]
    check(_arrays[0], _h ** (1 - _power), what=f"curvatures, p = {_power}", rtol=1e-5)
    _new = quadratic.Spectrum(*_arrays, np.ones(3))
    check(_new.initial_loss, _old.initial_loss, what=f"initial loss, p = {_power}")
    for _table, _expected in zip(
        quadratic.expected_loss(_new, [0.4], [1, 5, 50]),
        quadratic.expected_loss(_old, [0.4], [1, 5, 50], power=_power),
        strict=True,
    ):
        check(_table[0], _expected[0], what=f"a part of the loss after 1, 5 and 50 steps, p = {_power}", rtol=1e-5)
### END HIDDEN TESTS

# %% [markdown]
r"""
`quadratic` has both built in, momentum and preconditioner. Does it agree with real runs? 4000 of them, with 50
directions (not grouped: `bins=None`) and batches of 8:
"""

# %%
few, rng = quadratic.power_law(num_modes=50, bins=None), np.random.default_rng(1)
print("momentum   p   steps   exact loss   mean of the runs   standard error")
for momentum, power, rate in ((0.9, 0.0, 0.3), (0.0, 0.5, 0.5), (0.0, 1.0, 0.3), (0.8, 0.5, 0.2)):
    theta, velocity = rng.standard_normal((4000, 50)) * np.sqrt(few.start), 0.0
    for _ in range(30):
        gradient = few.curvature * theta + np.sqrt(few.noise / 8) * rng.standard_normal((4000, 50))
        velocity = momentum * velocity + few.curvature**-power * gradient
        theta = theta - rate * velocity
    losses = (few.curvature * theta**2).sum(axis=1) / 2
    parts = quadratic.expected_loss(few, [rate], [30], momentum=momentum, power=power)
    exact = (parts[0] + parts[1] / 8).item()
    print(f"{momentum:8.1f} {power:4.1f} {30:6d} {exact:12.4f} {losses.mean():18.4f} {losses.std() / 4000**0.5:16.4f}")

# %% [markdown]
r"""
They agree, within the luck of 4000 runs. And what becomes of the knee? The last contestant is no optimizer at all: it
is SGD whose gradients have been spoilt, with four times the variance. (Two more rows change the noise itself.)
"""

# %%
spoilt = quadratic.Spectrum(spectrum.curvature, 4 * spectrum.noise, spectrum.start, spectrum.count)
contestants = {
    "SGD": (spectrum, {}),
    "momentum 0.9": (spectrum, {"momentum": 0.9}),
    "preconditioned, p = 1/2": (spectrum, {"power": 0.5}),
    "… with momentum 0.5": (spectrum, {"momentum": 0.5, "power": 0.5}),
    "… with momentum 0.9": (spectrum, {"momentum": 0.9, "power": 0.5}),
    "SGD, gradients spoilt": (spoilt, {}),
}
print("                          S_min    E_min   B_crit    steps at B = 64   at B = 4096")
for name, (problem, optimizer) in contestants.items():
    steps = quadratic.knee(problem, batches, target, **optimizer)[0]
    s_min, b_crit = fit(batches, steps)
    print(f"{name:24s} {s_min:6.0f} {s_min * b_crit:8.0f} {b_crit:8.0f} {steps[6]:18.0f} {steps[12]:13.0f}")

mean_noise = np.full_like(spectrum.noise, np.average(spectrum.noise, weights=spectrum.count))
equal = quadratic.Spectrum(spectrum.curvature, mean_noise, spectrum.start, spectrum.count)
for power in (0, 0.5):
    steps = quadratic.knee(equal, [1, 4096], 0.3, power=power)[0]
    print(f"equal noise, target 30 %, p = {power}: {steps[0]:.0f} steps at B = 1, {steps[1]:.0f} at 4096")

# %% [markdown]
r"""
**What you see.** Preconditioning is of another kind than momentum: it saves steps *and* examples, at every batch
size. (That is owed to the noise, which is proportional to the curvature. A preconditioner raises the noise of flat
directions; where it is as large there as elsewhere, and the target is easy, small batches pay for it: last two rows.)
A momentum of 0.9 on top of it makes the fewest steps worse again: the way is now shorter than the 33 steps or so that
0.9 needs for itself. One of 0.5 does not.

And look at $B_\text{crit}$ of the spoilt gradients. Spoiling the gradients has moved the knee to a batch four times
as large! (With noise $4c$ and batches of $4B$ the model is the same as with $c$ and $B$.) For $B_\text{crit} =
E_{\min}/S_{\min}$ grows when $S_{\min}$ falls *or when $E_{\min}$ rises*. A larger critical batch size is no merit by
itself. **Always ask for both numbers.** If $S_{\min}$ fell and $E_{\min}$ did not rise, the optimizer has pushed the
knee out. If $E_{\min}$ rose and $S_{\min}$ did not fall, it has pushed the knee out, too, and everybody is worse off.

How far does the picture carry? In the model, curvatures are known and never change; Adam has to estimate, from noisy
gradients, something that is not quite the curvature. Zhang et al. (2019) found on networks larger critical
batches with Adam, and with K-FAC, a better approximation of Newton's method, than with momentum. The model has that,
too, once the momentum beside the preconditioner is a smaller one (row "with momentum 0.5").

**Try it.** The demo computes the model while you move the sliders. Before you move them, predict: on a flatter
spectrum (exponent 0.5), which momentum is the best with a target of 3 %, and which with one of 30 %? And what is left
there of the preconditioner's advantage?
"""

# %%
demos.quadratic_knee()

# %% [markdown]
r"""
**You should have seen** that momentum leaves the left end of both curves nearly where it is; that a preconditioner
moves both ends, the further the steeper the spectrum, and on the flatter one still saves most of the steps of large
batches but few examples; and that the best momentum is a matter of the way: at exponent 0.5 about 0.5 for 3 %, where
0.9 is far worse than none, while for 30 %, two or three steps, 0.9 does no harm and 0.99 does.

The model has directions. Networks have layers, and that is where LARS and LAMB come in.

## 7.5 LARS

A learning rate turns a gradient into a step. Is the step long or short? That depends on what it is added to.
**Smallest case:** two layers, both with gradients of norm 0.1, one with weights of norm 10, the other of norm 0.05.
With rate 0.1, both move by 0.01: a thousandth of the first layer, a fifth of the second. LARS (You, Gitman and
Ginsburg 2017) wants the *relative* step to be the same in all layers. Ask for $\lVert\Delta w\rVert =
\eta\,\tau\,\lVert w\rVert$ along the gradient, and the rate of the layer follows:

$$
\Delta w = -\eta\,\underbrace{\tau\,\frac{\lVert w\rVert}{\lVert g\rVert}}_{\text{trust ratio}}\,g .
$$

With weight decay $\delta$ the step goes along $g + \delta w$, and the paper divides by $\lVert g\rVert +
\delta\lVert w\rVert$, which is never less than $\lVert g+\delta w\rVert$. With momentum, all of that enters the
velocity:

$$
v \leftarrow \beta\,v + \tau\,\frac{\lVert w\rVert}{\lVert g\rVert + \delta\lVert w\rVert}\,(g + \delta\,w),
\qquad w \leftarrow w - \eta\,v .
$$

The constant $\tau$, 0.001 in SimCLR's and timm's code, and the rate do the same job; it is there so that rates look
familiar. One case needs a rule of its own: a layer whose weights are all 0 would have the ratio 0 and *never move*.
There (and where the denominator is 0) the ratio is set to 1.

What does that buy? Suppose that somebody writes the same network with $s\,u$ in the place of a layer's weights $w$.
Everything that it can compute stays. By the chain rule, the gradient for $u$ is $s$ times the one for $w$, so a step
of SGD changes $w = s\,u$ by $-s\,\eta\,(s\,g) = -\eta\,s^2\,g$: the layer's rate has changed by the factor $s^2$.
LARS, with $\lVert u\rVert = \lVert w\rVert / s$:

$$
s\,\Delta u = -s\,\eta\tau\,\frac{\lVert w\rVert/s}{s\,\lVert g\rVert}\,s\,g = -\eta\tau\,\frac{\lVert w\rVert}{\lVert
g\rVert}\,g = \Delta w .
$$

**The trust ratio makes a run independent of how each layer is scaled.** (Without weight decay, and as long as no
layer is 0.) It measures neither curvature nor noise: $\lVert g\rVert$ holds the gradient and its noise in one number,
so that small batches get shorter steps by themselves.

## Exercise 7.5: `lars_step` (3 points, 12 minutes, core)

One step for one layer, in PyTorch.

- `weights`, `gradient`, `buffer` ($v$): tensors of one shape, any number of dimensions
- `lr` $\eta$, `momentum` $\beta$, `weight_decay` $\delta$, `trust` $\tau$: numbers
- returns `(weights, buffer)` after the step, new tensors; the old ones stay as they are
- the trust ratio is 1 where the weights are all 0, or its denominator is 0
- for weights (3, 4), gradient (0, 5), buffer 0, rate 0.1, no momentum, no decay and $\tau = 0.5$: the ratio is 0.5,
  the new weights are (3, 3.75) and the new buffer (0, 2.5)

<details><summary>Hint 1 (click to open): the order</summary>

Norms → ratio → update `ratio * (gradient + weight_decay * weights)` → buffer → weights. `torch.linalg.vector_norm(x)`
is the root of the sum of squares, whatever the shape. </details>

<details><summary>Hint 2 (click to open): the rule for zeros</summary>

`ratio = trust * norm / size if norm > 0 and size > 0 else 1.0`, with `size` for the denominator.
</details>
"""


# %% solution="lars_step"
def lars_step(weights, gradient, buffer, lr, momentum, weight_decay, trust):
    """Return weights and momentum buffer of one layer after a step of LARS."""
    ### BEGIN SOLUTION
    norm = torch.linalg.vector_norm(weights)
    size = torch.linalg.vector_norm(gradient) + weight_decay * norm
    ratio = trust * norm / size if norm > 0 and size > 0 else 1.0
    buffer = momentum * buffer + ratio * (gradient + weight_decay * weights)
    return weights - lr * buffer, buffer
    ### END SOLUTION


# %% tests="lars_step_by_hand" points=1
# Weights (3, 4), gradient (0, -2), decay 0.1, trust 0.2: the ratio is 0.2 · 5 / (2 + 0.5) = 0.4. The buffer holds (1, 1).
_w, _g, _v = torch.tensor([3.0, 4.0]), torch.tensor([0.0, -2.0]), torch.tensor([1.0, 1.0])


def _both(answer):
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        raise WrongAnswer("weights and buffer, two tensors", described(answer))
    return torch.stack([torch.as_tensor(part) for part in answer])


_given = _w.clone(), _g.clone(), _v.clone()
check(
    _both(lars_step(*_given, 0.1, 0.5, 0.1, 0.2)),
    [[2.938, 4.014], [0.62, -0.14]],
    what="weights, buffer",
    mistakes={
        "the ratio is upside down: it is |w| over |g|": [[2.947, 3.966], [0.53, 0.34]],
        "the ratio is missing": [[2.92, 4.11], [0.8, -1.1]],
        "the trust coefficient is missing": [[2.89, 4.27], [1.1, -2.7]],
        "the decay counts in the denominator, too: |g| + δ|w|": [[2.935, 4.03], [0.65, -0.3]],
        "this divides by the norm of the sum, |g + δw| (SimCLR's code does); here by |g| + δ|w|": [
            [2.931571146, 4.048287219],
            [0.6842885351, -0.4828721869],
        ],
        "the decay is a part of the update and enters the buffer with it; this takes it off the weights": [
            [2.92, 3.99],
            [0.5, -0.3],
        ],
        "v becomes β v + the update; this keeps only 1 - β of the new update": [[2.944, 3.982], [0.56, 0.18]],
        "the decay is left out of the step": [[2.95, 4.03], [0.5, -0.3]],
        "the decay is left out altogether": [[2.95, 4.05], [0.5, -0.5]],
        "the ratio applies to the decay as well": [[2.92, 3.99], [0.8, 0.1]],
        "a ratio for each coordinate; asked for is one for the layer": [[2.89, 4.003333333], [1.1, -0.03333333333]],
        "the ratio belongs inside the buffer; this scales what comes out of it": [[2.968, 4.044], [0.8, -1.1]],
        "the rate stands outside the buffer (the paper has it inside; with a constant rate both are the same)": [
            [2.488, 3.564],
            [0.512, 0.436],
        ],
        "the momentum is missing": [[2.988, 4.064], [0.12, -0.64]],
        "the old buffer is used for the step; use the new one": [[2.9, 3.9], [0.62, -0.14]],
        "the weights went uphill": [[3.062, 3.986], [0.62, -0.14]],
        "squared norms; take the root": [[2.926923077, 4.073076923], [0.7307692308, -0.7307692308]],
        "these are buffer, weights; asked for are weights, buffer": [[0.62, -0.14], [2.938, 4.014]],
    },
)
if not all(torch.equal(one, other) for one, other in zip(_given, (_w, _g, _v), strict=True)):
    raise WrongAnswer(
        "new tensors; those that you were given stay as they are",
        "one of them has changed",
        "an operation in place, such as -= or mul_",
    )
check(
    _both(lars_step(torch.tensor([3.0, 4.0]), torch.zeros(2), torch.zeros(2), 0.1, 0.5, 0.5, 0.2)),
    [[2.94, 3.92], [0.6, 0.8]],
    what="no gradient, but decay",
    mistakes={"the ratio is 1 where the denominator is 0; with decay it is not": [[2.85, 3.8], [1.5, 2.0]]},
)

# %% tests="lars_step_of_zeros" points=1
# Weights that are all 0 must move; a gradient that is all 0 must not give nan.
check(
    _both(lars_step(torch.zeros(2), torch.tensor([1.0, -2.0]), torch.zeros(2), 0.1, 0.9, 0.1, 0.001)),
    [[-0.1, 0.2], [1.0, -2.0]],
    what="weights, buffer; weights of 0",
    mistakes={
        "the layer is frozen: its weights are 0, so its ratio is 0, so they stay 0 for ever": [[0.0, 0.0], [0.0, 0.0]],
        "in this case the ratio is 1, not τ": [[-0.0001, 0.0002], [0.001, -0.002]],
    },
)
check(
    _both(lars_step(torch.zeros(2), torch.zeros(2), torch.tensor([1.0, 1.0]), 0.1, 0.5, 0.0, 0.001)),
    [[-0.05, -0.05], [0.5, 0.5]],
    what="weights, buffer; weights and gradient of 0",
)
check(
    _both(lars_step(torch.tensor([3.0, 4.0]), torch.zeros(2), torch.zeros(2), 0.1, 0.5, 0.0, 0.001)),
    [[3.0, 4.0], [0.0, 0.0]],
    what="no gradient, no decay",
)

# %% tests="lars_step_properties" points=1
# Checked when you are graded: gradients of another size; another scale of the layer; matrices; the arguments stay.
### BEGIN HIDDEN TESTS
_generator = torch.Generator().manual_seed(3)
_w, _g, _v = (torch.randn(4, 3, generator=_generator) for _ in range(3))
_plain = _both(lars_step(_w, _g, 0 * _v, 0.3, 0.9, 0.0, 0.02))
check(
    _both(lars_step(_w, 1000 * _g, 0 * _v, 0.3, 0.9, 0.0, 0.02))[0].ravel(), _plain[0].ravel(), what="gradient × 1000"
)
check(
    torch.linalg.vector_norm(_plain[0] - _w) / torch.linalg.vector_norm(_w), 0.006, what="relative step: lr times trust"
)
_far = _both(lars_step(50 * _w, _g / 1000, 0 * _v, 0.3, 0.9, 0.0, 0.02))[0] - 50 * _w
check(
    torch.linalg.vector_norm(_far) / torch.linalg.vector_norm(50 * _w),
    0.006,
    what="relative step; weights × 50, gradient / 1000",
)
_scaled = _both(lars_step(_w / 5, 5 * _g, 0 * _v, 0.3, 0.9, 0.0, 0.02))
check(5 * _scaled[0].ravel(), _plain[0].ravel(), what="the layer stored as w / 5")
_before = _w.clone(), _g.clone(), _v.clone()
lars_step(_w, _g, _v, 0.3, 0.9, 0.1, 0.02)
for _name, _now, _old in zip(("weights", "gradient", "buffer"), (_w, _g, _v), _before, strict=True):
    check(_now.ravel(), _old.ravel(), what=f"the {_name} that you were given, after the call")
_norms = float(torch.linalg.vector_norm(_w)), float(torch.linalg.vector_norm(_g))
_update = 0.02 * _norms[0] / (_norms[1] + 0.1 * _norms[0]) * (_g + 0.1 * _w)
_expected = torch.stack([_w - 0.3 * (0.9 * _v + _update), 0.9 * _v + _update])
check(_both(lars_step(_w, _g, _v, 0.3, 0.9, 0.1, 0.02)).ravel(), _expected.ravel(), what="a 4 × 3 layer")
### END HIDDEN TESTS

# %% [markdown]
r"""
The course's `LARS` is this step as a `torch.optim.Optimizer`. Biases and the scales of normalisation layers are
usually left out, for they may be 0 and mean something else: they go into a group with `adapt=False`. Below, one
network is written in two ways: in the second, its first layer is stored as $w/10$. (With a trust coefficient of
0.001, a rate of 10 makes each step 1 % of a layer.)
"""

# %%
from largebatch import optimizers


def small_network(scale):
    """Return stored weights and a loss of a network whose first layer computes scale × (stored weights)."""
    draw = torch.Generator().manual_seed(0)
    x, y = torch.randn(50, 4, generator=draw), torch.randn(50, 1, generator=draw)
    first, second = torch.randn(4, 8, generator=draw) / scale, torch.randn(8, 1, generator=draw)
    layers = [torch.nn.Parameter(first), torch.nn.Parameter(second)]
    return layers, lambda: ((torch.tanh(x @ (scale * layers[0])) @ layers[1] - y) ** 2).mean()


for name, make in {
    "SGD ": lambda layers: torch.optim.SGD(layers, lr=0.05, momentum=0.9),
    "LARS": lambda layers: optimizers.LARS(layers, lr=10, momentum=0.9, trust_coefficient=0.001),
}.items():
    ends = []
    for scale in (1.0, 10.0):
        layers, loss = small_network(scale)
        optimizer = make(layers)
        for _ in range(30):
            optimizer.zero_grad()
            loss().backward()
            optimizer.step()
        ends.append(loss().item())
    print(f"{name} loss after 30 steps: {ends[0]:.10f}; with the first layer stored as w / 10: {ends[1]:.10f}")

# %% [markdown]
r"""
**What you see.** To LARS both are the same run, to ten digits. To SGD they are not: in the second, the first layer's
rate is a hundred times as large.

### The per-coordinate ratio of a textbook

An exercise in the textbook of lesson 05 (its 10.8.2) asks for "a LARS-style proxy": logistic regression has a single
layer, so let every *coordinate* be one, and scale its step by $|w_j|/|g_j|$. Then see whether the knee moves. Work
out what the step is:

$$
\Delta w_j = -\eta\,\frac{|w_j|}{|g_j|}\,g_j = -\eta\,|w_j|\,\operatorname{sign}(g_j) .
$$

The experiment starts at $w = 0$. Before you run it: where is it after 400 steps? The cell tries 25 rates, from
$2^{-8}$ to 16, on the problem of lesson 05 with batches of 256, the rates in the columns; then also four starts from
small random weights. (Means of four seeds.)
"""


# %%
def descend(problem, ratio, start, batch_size, num_steps, num_seeds=4):
    """Return some of the steps, and the seed-mean excess loss then, shape (steps, rates); the ratio multiplies the gradient."""
    rng, excess_of, excess = np.random.default_rng(0), ExcessLoss(problem), []
    times = np.unique(np.geomspace(1, num_steps, 60).astype(int))
    weights = np.tile(start[:, None], (num_seeds, 1, len(trial_rates)))
    for step in range(1, num_steps + 1):
        rows = rng.integers(0, problem.num_examples, (num_seeds, batch_size))
        x, y = problem.features[rows], problem.labels[rows][..., None]
        gradient = x.transpose(0, 2, 1) @ (sigmoid(x @ weights) - y) / batch_size
        weights = weights - trial_rates * ratio(weights, gradient) * gradient
        if step in times:
            excess.append(excess_of(weights).mean(axis=0))
    return times, np.array(excess)


def literal(weights, gradient):
    """Return the ratio of the exercise, one for each coordinate."""
    return np.abs(weights) / np.abs(gradient)


uneven, trial_rates = uneven_problem(), 2.0 ** np.arange(-8, 4.5, 0.5)
starts = {"from 0": np.zeros(32)}
starts |= {f"from random {k}": 0.01 * np.random.default_rng(k).standard_normal(32) for k in range(4)}
for name, start in starts.items():
    with np.errstate(all="ignore"):  # the largest rates diverge
        _, excess = descend(uneven, literal, start, 256, 400)
    wrong = (np.sign(start) == -np.sign(uneven.optimum)).sum() if start.any() else "–"
    share = np.nanmin(excess) / uneven.initial_excess
    print(f"{name:14s} wrong signs: {wrong:>2} of 32; least excess {share:6.1%} of the initial one")

# %% [markdown]
r"""
**What you see.** The literal recipe stays where it is, at every rate: $|w_j| = 0$ makes the step 0, so $w_j$ stays 0.
Not a slow start, no start. From random weights it moves and gets stuck far above the target of 10 %: with $\eta < 1$
the step is a share of $|w_j|$, so a weight can shrink towards 0 but never pass it, and whatever began with the wrong
sign keeps it; larger rates jump to and fro, or diverge. (With the norm of a whole *layer*, single weights are free to
change sign.)

Does a repaired ratio move the knee? Two repairs, with the rate tuned for each batch size: the true trust ratio, of
the one layer that there is; and a floor under both sizes, $(|w_j| + 0.1)/(|g_j| + 0.1)$, as codes add one against a
division by 0.
"""


# %%
def of_the_layer(weights, gradient):
    """Return the trust ratio of each run, 1 where its weights are 0."""
    norms = np.linalg.norm(weights, axis=1, keepdims=True)
    return np.where(norms > 0, norms / np.linalg.norm(gradient, axis=1, keepdims=True), 1.0)


repairs = {
    "SGD": lambda w, g: 1.0,
    "|w| / |g|, one layer": of_the_layer,
    "floors of 0.1": lambda w, g: (np.abs(w) + 0.1) / (np.abs(g) + 0.1),
}
sizes = np.array([16, 64, 256, 1024])
print(f"steps to 10 % at                 {'   '.join(map(str, sizes))}     S_min   E_min   B_crit")
for name, ratio in tqdm(repairs.items(), delay=1, leave=False):
    with np.errstate(all="ignore"):
        runs = [descend(uneven, ratio, np.zeros(32), size, 200 + 14_000 // size) for size in sizes]
    steps = [crossing(*run, 0.1 * uneven.initial_excess).min() for run in runs]
    s_min, b_crit = fit(sizes, steps)
    print(f"{name:28s}", *(f"{count:5.0f}" for count in steps), f"{s_min:8.1f} {s_min * b_crit:7.0f} {b_crit:8.0f}")

# %% [markdown]
r"""
**What you see.** The true ratio with one layer works, and is worse than SGD at every batch size, by a factor of three
to four; its knee is no further out. There is no second layer to be balanced with; from 0 its steps are short at
first, and later, of a fixed relative length, too long near the optimum. With floors the knee does move, to more than
twice the batch: half the fewest steps, for a quarter more examples or so. So the answer to the exercise is "it
depends on the repair, and on the price". (Four seeds. With rates a factor 2 apart instead of √2, the one-layer ratio
seemed to have a *larger* knee than SGD: only one of the coarse rates served it at a batch of 16. A grid can move a
knee.)

The exercise then wants the shifted knee explained by a global rate that is too large in some directions and too small
in others. Such directions exist, section 7.4 is about them; but they are a matter of *curvature*, and $|w|/|g|$ does
not measure curvature.

## 7.6 LAMB

LAMB (You et al. 2020) does the same to Adam. Adam's own step, with bias correction and with a decay that is added to
the step and not to the gradient, is computed first, and then scaled to the length $\eta\,\lVert w\rVert$:

$$
m \leftarrow \beta_1 m + (1-\beta_1)\,g ,\quad v \leftarrow \beta_2 v + (1-\beta_2)\,g^2 ,\quad
u = \frac{m/(1-\beta_1^t)}{\sqrt{v/(1-\beta_2^t)} + \varepsilon} + \delta\,w ,\quad
w \leftarrow w - \eta\,\frac{\lVert w\rVert}{\lVert u\rVert}\,u .
$$

The ratio compares the weights with the *step* $u$, not with the gradient. Since $u$ is normalised anyway, whatever
only changes its length cancels: with $\delta = 0$ and a tiny $\varepsilon$, the bias correction does. And Adam's step
does not depend on the size of the gradients, so what was said of LARS and the scale of a layer holds here, too:
stored as $w/s$, a layer takes the same path.

## Exercise 7.6: `lamb_step` (2 points, 10 minutes, core)

- `weights`, `gradient`, `m`, `v`: tensors of one shape; `step`: $t$ = 1, 2, …, the number of this step
- `lr`, `beta1`, `beta2`, `eps`, `weight_decay`: numbers
- returns `(weights, m, v)` after the step, new tensors; `m` and `v` as they are carried on, without the correction
- the ratio is 1 where either norm is 0; a gradient of 0 comes with $\varepsilon > 0$ only
- for weights (3, 4), gradient (1, -1), `m` and `v` 0, step 1, rate 0.1, betas 0.9 and 0.99, $\varepsilon = 0$, no
  decay: $u = (1, -1)$, so the weights become $(3, 4) - 0.1\cdot 5/\sqrt2\cdot(1, -1) = (2.646, 4.354)$

<details><summary>Hint 1 (click to open): where does the decay go?</summary>

Into $u$, before its norm is taken: the whole step has the length $\eta\lVert w\rVert$, decay included.
</details>

<details><summary>Hint 2 (click to open): corrected or not?</summary>

Keep `m` and `v` for the next step as they are. Divide by $1-\beta^t$ only on the way into $u$.
</details>
"""


# %% solution="lamb_step"
def lamb_step(weights, gradient, m, v, step, lr, beta1, beta2, eps, weight_decay):
    """Return weights and both moments of one layer after step number `step` of LAMB."""
    ### BEGIN SOLUTION
    m, v = beta1 * m + (1 - beta1) * gradient, beta2 * v + (1 - beta2) * gradient**2
    update = m / (1 - beta1**step) / ((v / (1 - beta2**step)).sqrt() + eps) + weight_decay * weights
    norm, size = torch.linalg.vector_norm(weights), torch.linalg.vector_norm(update)
    ratio = norm / size if norm > 0 and size > 0 else 1.0
    return weights - lr * ratio * update, m, v
    ### END SOLUTION


# %% tests="lamb_step_by_hand" points=1
# Step 2 of a layer (3, 4), with moments that are not 0, decay 0.2 and eps 0.1, so that every part can be seen.
_w, _g = torch.tensor([3.0, 4.0]), torch.tensor([1.0, -2.0])
_m, _v = torch.tensor([0.5, 0.7]), torch.tensor([3.0, 2.0])


def _three(answer):
    if not isinstance(answer, tuple | list) or len(answer) != 3:
        raise WrongAnswer("weights, m and v, three tensors", described(answer))
    return torch.stack([torch.as_tensor(part) for part in answer])


_given = [part.clone() for part in (_w, _g, _m, _v)]
check(
    _three(lamb_step(*_given, 2, 0.1, 0.8, 0.9, 0.1, 0.2)),
    [[2.62944664, 3.664306379], [0.6, 0.16], [2.8, 2.2]],
    what="weights, m, v",
    mistakes={
        "this is Adam with decay: the ratio is missing": [[2.897686567, 3.907311684], [0.6, 0.16], [2.8, 2.2]],
        "the ratio is upside down: |w| over |u|": [[2.971750253, 3.974407843], [0.6, 0.16], [2.8, 2.2]],
        "the ratio compares the weights with Adam's step u, not with the gradient": [
            [2.771220209, 3.792742626],
            [0.6, 0.16],
            [2.8, 2.2],
        ],
        "the weights are missing in the ratio: |w| / |u|": [[2.925889328, 3.932861276], [0.6, 0.16], [2.8, 2.2]],
        "a ratio for each coordinate; asked for is one for the layer": [[2.7, 3.6], [0.6, 0.16], [2.8, 2.2]],
        "the bias correction is missing": [[2.639353221, 3.653685257], [0.6, 0.16], [2.8, 2.2]],
        "the bias correction of m is missing": [[2.667666437, 3.62643019], [0.6, 0.16], [2.8, 2.2]],
        "the bias correction of v is missing": [[2.590736299, 3.712766257], [0.6, 0.16], [2.8, 2.2]],
        "the steps count from 1: the correction is 1 - β^t with t = 2 here, not t + 1": [
            [2.635398635, 3.657851137],
            [0.6, 0.16],
            [2.8, 2.2],
        ],
        "the correction is 1 - β^t with t = 2 here, not t - 1": [[2.616429436, 3.679260818], [0.6, 0.16], [2.8, 2.2]],
        "beta1 belongs to m, beta2 to v": [[2.647021726, 3.645872427], [0.55, 0.43], [2.6, 2.4]],
        "the decay is missing": [[2.52106906, 3.856385396], [0.6, 0.16], [2.8, 2.2]],
        "the decay is in u already; do not take it off the weights as well": [
            [2.56944664, 3.584306379],
            [0.6, 0.16],
            [2.8, 2.2],
        ],
        "the decay must not enter the moments; it is added to Adam's step": [
            [2.560951909, 3.760757919],
            [0.72, 0.32],
            [2.956, 1.944],
        ],
        "the decay belongs into u, before the norm is taken": [[2.46106906, 3.776385396], [0.6, 0.16], [2.8, 2.2]],
        "the norm is taken without the decay, which the step contains": [
            [1.841950057, 2.950893393],
            [0.6, 0.16],
            [2.8, 2.2],
        ],
        "eps belongs to the root of v; the norm of u needs none, for a norm of 0 has its own rule": [
            [2.654474741, 3.686979966],
            [0.6, 0.16],
            [2.8, 2.2],
        ],
        "eps is added to the root, not under it": [[2.628465569, 3.665392519], [0.6, 0.16], [2.8, 2.2]],
        "the root of v is missing": [[2.676179465, 3.619027218], [0.6, 0.16], [2.8, 2.2]],
        "keep m and v without the correction for the next step": [
            [2.62944664, 3.664306379],
            [1.666666667, 0.4444444444],
            [14.73684211, 11.57894737],
        ],
    },
)
if not all(torch.equal(one, other) for one, other in zip(_given, (_w, _g, _m, _v), strict=True)):
    raise WrongAnswer(
        "new tensors; those that you were given stay as they are",
        "one of them has changed",
        "an operation in place, such as -= or mul_",
    )
check(
    _three(
        lamb_step(
            torch.zeros(2), torch.tensor([2.0, -2.0]), torch.zeros(2), torch.zeros(2), 1, 0.1, 0.9, 0.99, 0.0, 0.0
        )
    )[0],
    [-0.1, 0.1],
    what="weights after a step from weights of 0",
    mistakes={"the layer is frozen: where a norm is 0 the ratio is 1": [0.0, 0.0]},
)

# %% tests="lamb_step_properties" points=1
# Checked when you are graded: the length of the step; gradients of another size; gradients of 0; large weights; matrices.
### BEGIN HIDDEN TESTS
_generator = torch.Generator().manual_seed(5)
_w, _g, _m = (torch.randn(4, 3, generator=_generator) for _ in range(3))
_v = torch.rand(4, 3, generator=_generator) + 0.1
_new = _three(lamb_step(_w, _g, _m, _v, 7, 0.02, 0.9, 0.99, 1e-6, 0.1))
check(torch.linalg.vector_norm(_new[0] - _w) / torch.linalg.vector_norm(_w), 0.02, what="relative step: the rate")
_other = _three(lamb_step(_w, 100 * _g, 100 * _m, 1e4 * _v, 7, 0.02, 0.9, 0.99, 0.0, 0.1))
_same = _three(lamb_step(_w, _g, _m, _v, 7, 0.02, 0.9, 0.99, 0.0, 0.1))
check(_other[0].ravel(), _same[0].ravel(), what="all gradients × 100")
_zeros = torch.zeros(2)
check(
    _three(lamb_step(torch.tensor([3.0, 4.0]), _zeros, _zeros, _zeros, 1, 0.1, 0.9, 0.99, 1e-6, 0.0))[0],
    [3.0, 4.0],
    what="a gradient of 0",
)
_large = _three(lamb_step(50 * _w, _g, _m, _v, 7, 0.02, 0.9, 0.99, 1e-6, 0.1))[0]
check(torch.linalg.vector_norm(_large - 50 * _w) / torch.linalg.vector_norm(50 * _w), 0.02, what="large weights")
_new = _three(lamb_step(_w, _g, _m, _v, 7, 0.02, 0.9, 0.99, 0.1, 0.1))
_expected = optimizers.lamb_step(_w, _g, _m, _v, 7, 0.02, (0.9, 0.99), 0.1, 0.1)
check(_new.ravel(), torch.stack(_expected).ravel(), what="a 4 × 3 layer, step 7")
### END HIDDEN TESTS

# %% [markdown]
r"""
### One name, many optimizers

Papers and codes agree on the idea and on little else. What was found on reading them:

| | denominator of the ratio, LARS | rate | left out of the ratio | also |
|---|---|---|---|---|
| paper | $\lVert g\rVert + \delta\lVert w\rVert$ | inside the velocity | – | |
| SimCLR | $\lVert g + \delta w\rVert$ | inside, or outside by a switch | lists of names | with the switch, the ratio uses the norm of the *velocity* |
| timm | as in the paper | outside | every group without decay, unless `always_adapt` | optional cut of the ratio |
| pytorch_optimizer 4.1.0 | as in the paper | outside | all vectors; they get no decay either | |
| this course | as in the paper | outside | groups with `adapt=False` | |

| | bias correction, LAMB | decay | left out of the ratio | also |
|---|---|---|---|---|
| paper | yes; none in its third version | inside the norm | – | $\lVert w\rVert$ may be cut to an interval |
| TensorFlow Addons | yes | inside | lists of names | no cut |
| Apex, timm | yes | inside | every group without decay, unless a switch is set | first shortens *all gradients together* to norm 1 |
| pytorch_optimizer 4.1.0 | no; but divides the step by $1-\beta_1^t$, after the ratio | outside, by default | – | cuts $\lVert w\rVert$ at 10 |
| this course | yes | inside | groups with `adapt=False` | no cut, no shortening |

The differences are not small print. In the last-but-one row the first step is ten times as long as the rate says (for
$\beta_1 = 0.9$; a test of the course runs it); and with timm's `Lars` at its default of no decay, *no* layer is
adapted: it is plain SGD. Who compares "LAMB" with something must say whose.

## 7.7 A fair race

What does the trust ratio do for the knee? A race needs rules. The first one is what published comparisons often lack;
when it was added, claimed speedups over Adam shrank (Wen et al. 2025).

1. **Equal tuning.** Every optimizer gets the same number of settings: 24, namely 8 rates that are a factor 2 apart
   times momentum 0, 0.5 or 0.9 ($\beta_1$, for Adam and LAMB). A second knob counts as settings: it would be unfair
   to tune it for free. The ranges were moved beforehand, until no best rate lay at an end.
2. **Tuned for every batch size**, with all 24 settings anew.
3. **The same examples** for all settings, six seeds (start and examples), an interval.
4. **Two numbers.**

The network has 16 inputs, 16 hidden units (tanh) and one output; it learns from a *teacher*, a fixed random network
of the same shape, whose outputs get some noise on top. The loss is half the mean squared error, measured as excess
over the teacher's own; the target is 5 % of the excess at the start, far enough for no run to be over after a handful
of steps. Both layers start with weights of the usual size. The same network is then written in two other ways, as in
7.5, with its first layer stored four times or a quarter as large. LARS and LAMB do not notice, so they run only once.
(Rates that are a factor 2 apart make the results a little uneven; it is the price of few settings, and everybody pays
it.)

Before you run it: which of the four will have the largest $B_\text{crit}$, and which one would you use?
"""

# %%
from largebatch.race import RATES, Student, race

RACE_BATCHES, RACE_TARGET = (16, 64, 256, 1024), 0.05


def three_numbers(steps):
    """Return S_min, E_min and B_crit of steps, shape (…, batch sizes), as an array of shape (3, …)."""
    s_min, b_crit = fit(RACE_BATCHES, steps)
    return np.array([s_min, s_min * b_crit, b_crit])


def race_knee(problem, optimizer, num_seeds=6):
    """Return the tuned steps at each batch size, the three numbers, and the ends of their intervals, shape (2, 3)."""
    picks = np.random.default_rng(0).integers(0, num_seeds, (300, num_seeds))
    steps, resampled = [], []
    for batch_size in RACE_BATCHES:
        curves = race(problem, optimizer, batch_size, RACE_TARGET, num_seeds=num_seeds)
        level = RACE_TARGET * curves.excess[0].mean()
        steps.append(curves.steps_to(level).min())
        resampled.append(resampled_steps(curves, level, picks))
    resampled, numbers = np.array(resampled).T, three_numbers(steps)
    strays = three_numbers(resampled[np.isfinite(resampled).all(axis=1)])
    return np.array(steps), numbers, numbers**2 / np.percentile(strays, (95, 5), axis=1)


# %%
contests = {
    "usual weights": (Student(), RATES),
    "first layer stored four times as large": (Student(shrink=0.25), ("SGD", "Adam")),
    "first layer stored a quarter as large": (Student(shrink=4.0), ("SGD",)),
}
entries = [(contest, name) for contest, (_, names) in contests.items() for name in names]
results = {
    (contest, name): race_knee(contests[contest][0], name)
    for contest, name in tqdm(entries, unit=" races", delay=1, leave=False)
}


# %%
def table_row(name, steps, numbers, interval):
    """Return a line of the table: the three numbers, each with its interval, and the steps at each batch size."""
    cells = [f"{value:.0f} ({low:.0f} to {high:.0f})" for value, low, high in zip(numbers, *interval, strict=True)]
    return f"{name:8s}" + "".join(f"{cell:>25s}" for cell in cells) + "".join(f"{count:8.0f}" for count in steps)


print("in brackets: 90 % interval from resampled seeds, mirrored as in lesson 05\n")
print(f"{'':8s}{'S_min':>25s}{'E_min':>25s}{'B_crit':>25s}    steps at B = 16, 64, 256, 1024")
for contest, (_, names) in contests.items():
    print(contest)
    for name in names:
        print(table_row(name, *results[contest, name]))

# %%
lines = [  # panel, contest, optimizer, label and its side, colour
    (0, "usual weights", "LARS", "LARS", "top", "C1"),
    (0, "usual weights", "Adam", "Adam", "center", "C2"),
    (0, "usual weights", "LAMB", "LAMB", "center", "C4"),
    (0, "usual weights", "SGD", "SGD", "bottom", "0.4"),
    (1, "first layer stored four times as large", "SGD", "SGD, × 4", "center", "C0"),
    (1, "first layer stored four times as large", "Adam", "Adam, × 4", "bottom", "C2"),
    (1, "first layer stored a quarter as large", "SGD", "SGD, × ¼", "center", "C5"),
    (1, "usual weights", "LARS", "LARS", "top", "C1"),
]
sgd_s_min, sgd_e_min, _ = results["usual weights", "SGD"][1]
law = sgd_s_min + sgd_e_min / np.array(RACE_BATCHES)
fig, panels = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True)
for panel, contest, name, label, side, colour in lines:
    shares = results[contest, name][0] / law
    panels[panel].plot(RACE_BATCHES, shares, color=colour, marker="o", ms=4)
    panels[panel].text(1250, shares[-1], label, color=colour, va=side)
for axes, title in zip(panels, ("usual weights", "first layer stored otherwise"), strict=True):
    axes.plot([14, 1024], [1, 1], color="0.5", lw=1, ls=":")
    axes.set(xlabel="batch size (examples)", title=title, xscale="log", yscale="log", xlim=(14, 4500))
    axes.set_xticks(RACE_BATCHES, labels=RACE_BATCHES)
    axes.set_yticks([0.5, 0.7, 1, 1.4, 2, 2.8], labels=[0.5, 0.7, 1, 1.4, 2, 2.8])
    axes.minorticks_off()
panels[0].set_ylabel("steps / law fitted to SGD, usual weights")
fig.tight_layout()

# %% [markdown]
r"""
**What you see.** The figure divides all steps by one law, the one fitted to SGD. First the usual weights.

* **LARS** makes a trade: somewhat fewer steps than SGD at large batches, 28 to 35 % more examples at small ones. Both
  raise $B_\text{crit}$, from 170 to 307, and only one of them is a gain.
* **Adam** is faster than SGD and than LARS at every batch size (with these settings; see below). The $B_\text{crit}$
  of LARS is as large (the intervals overlap): whoever ranked by it would not see the difference.
* **LAMB** needs more steps than Adam at every batch size.

Then the same network with its first layer stored otherwise. At four times the size, SGD needs more than twice the
steps at every batch size: one rate no longer serves both layers. Adam, whose steps do not depend on the size of a
gradient, suffers less. LARS and LAMB do not notice (7.5). A comparison of LARS with SGD *in this way of writing the
network* would have found a triumph, and most of it would be the layer's scale. At a quarter of the size, SGD gets
better than it was: about as few steps as LARS at large batches, without the price at small ones. So the "usual"
weights were not balanced, either, and that is part of what LARS gained. (Do not call SGD the winner: the scale is
another knob. Three values of it make 72 settings.)

**Is it the teacher?** One is a sample of one. `benchmarks/optimizers.py` runs twenty, of which this was the first; in
brackets the geometric mean of the ratios.

| instead of | take | $S_{\min}$ | $E_{\min}$ | $B_\text{crit}$ |
|---|---|---|---|---|
| SGD | LARS | lower for 20 of 20 (× 0.73) | lower for 0 (× 1.33) | higher for 20 (× 1.83) |
| SGD | Adam | lower for 20 (× 0.66) | lower for 18 (× 0.88) | higher for 15 (× 1.33) |
| Adam | LARS | lower for 6 (× 1.10) | lower for 0 (× 1.51) | higher for 20 (× 1.37) |
| Adam | LAMB | lower for 0 (× 1.65) | lower for 0 (× 1.34) | higher for 2 (× 0.82) |
| SGD | SGD, layer × 4 | lower for 0 (× 2.27) | lower for 0 (× 2.51) | higher for 14 (× 1.11) |
| SGD | SGD, layer × ¼ | lower for 19 (× 0.81) | lower for 15 (× 0.93) | higher for 14 (× 1.16) |

Read the last column by itself, and LARS beats SGD and Adam for every teacher; yet Adam needs fewer examples than
LARS, for every teacher, and fewer steps at $B$ = 16, 64 and 256 (the benchmark prints them). The two other ways of
writing the network are a bad and a good one, and both raise $B_\text{crit}$ more often than not.

**Is it the grid?** Equal numbers of settings are not yet equal chances. The benchmark repeats eight of the teachers
with two other grids. With momenta 0 and 0.9 only, 16 settings for everybody, LARS beats Adam in $S_{\min}$ for all
eight (× 0.63); with the 24 settings above, for one (× 1.18); with 96 (six momenta, rates √2 apart), for six (× 0.92).
What a race says of these two at large batches is thus a matter of a grid that looked fair. So is how much SGD gains
from the layer stored at a quarter: × 0.73, × 0.75 and × 0.90 in $S_{\min}$ with 16, 24 and 96. The rest stands with
all three grids: LARS has a lower $S_{\min}$ than SGD for all eight teachers and a higher $E_{\min}$ for at least
seven, and than Adam for all eight, LAMB is worse than Adam in both numbers for all eight, and LARS always has the
largest $B_\text{crit}$.

So the careful sentence is: *the trust ratio replaces tuning a rate for each layer.* Where the layers' scales ask for
very different rates it wins a lot, as would a better scale, or a rate for each layer. Where they do not, it bought
fewer steps at large batches with more examples at small ones. It measures neither curvature nor noise apart: $\lVert
g\rVert$ contains both, and at small batches, where noise makes it large, the ratio shortens steps by itself.

## 7.8 Reading claims about optimizers

**LAMB and BERT.** The textbook writes that LAMB trained BERT in 76 minutes "at a batch of 32k". The paper's own
abstract (first version, You et al. 2019) names a *mixed* run, batches of 65 536 and 32 768 for the two phases of
training, 8599 steps in all. And that it would "diverge instantly" with one global rate has been tested since: Nado et
al. (2021) tuned Nesterov momentum (a variant of the heavy ball) and Adam at the same batch sizes, and reached or
exceeded the published results of LARS and LAMB, among them BERT at a batch of 32 768. So LAMB did it, but it was not
needed for it; and that layers of unequal scale are why large batches are hard remains to be shown.

**A run that hit a wall.** The book's practical example, for which it gives no source: an engineer has 64 GPUs with a
local batch of 64. At a global batch of 1024 all is well. At 4096, with the linear rule, the run diverges; with a
longer warmup it needs nearly four times the epochs. Switched to LAMB *with a longer warmup*, it needs about the
epochs of the baseline. Lesson drawn: the optimizer was the limit. Before you read on: what would you ask?

* Two things changed at once. Which of them helped? SGD's or Adam's rate was not tuned at 4096; one rule was tried,
  and for Adam it is the wrong one (lesson 03).
* Which optimizer's is "the 1024 baseline"? The epochs are said to have been measured at 1024, 2048 and 4096; one
  result is reported. If LAMB at 1024 was faster as well, the knee has not moved: everything was faster.
* Four times the epochs at four times the batch is the *same number of steps*. That can be a run far past its knee. It
  can just as well be a rate that was too small, or a warmup too long (lesson 05).
* 64 GPUs do not force a batch of 4096: with a local batch of 16 they share the 1024 that worked (lesson 01). Each GPU
  is used less well, a step is usually still faster than on 16, and it is no question of optimization.

**Where the code is.** The book sends its readers to NVIDIA Apex for LARS and LAMB. Apex has a fused LAMB for GPUs.
For LARS in PyTorch, timm and pytorch_optimizer are maintained (see the table for what they do).

### What 2024 to 2026 added

* **Maximal-update parametrization** (muP; Yang et al. 2022) scales initialisation and rates of each layer so that a
  rate tuned on a narrow network serves a wide one. It is about *width*. The book has it that Everett et al. (2024)
  extend this to depth and batch size together; their abstract speaks of widths, three optimizers and four
  parametrizations, and finds that all of them can transfer.
* **Muon** orthogonalises the momentum of each weight matrix. Essential AI (2025) report that it is better than AdamW
  at keeping its data efficiency at batches far beyond AdamW's critical one, with up to four billion parameters. In a
  comparison with careful tuning (Wen et al. 2025) the fastest optimizers are of this kind, and their lead over AdamW
  falls from 1.4 times with 0.1 billion parameters to 1.1 times with 1.2 billion.
* **Lion** steps by the sign of its momentum; Chen et al. (2023) report that its gain grows with the batch size.
* **The batch may grow on the way.** Merrill et al. (2025) measured the critical batch size of OLMo models: near 0 at
  the start, rising fast, then flat. With a batch that follows it, OLMo 1B reached a slightly better loss in 43 %
  fewer steps.
* **What sets the knee of a language model** is the amount of data rather than the size of the model: Zhang et al.
  (2024), Bergsma et al. (2025). And Marek et al. (2025) go the other way: down to a batch of 1, with $\beta_2$ scaled
  so that its memory stays the same in tokens, training is stable, and even SGD without momentum works, which fits
  section 7.3.

## Exercise 7.7: `quiz_optimizers` (1 point, 6 minutes, core)

Which statements hold? Answer with a set of letters.

- **A** In the model of section 7.1, a larger batch makes the noise-free part of the loss fall faster at the same
  rate.
- **B** An optimizer has $E_{\min} = 8000$ examples and $S_{\min} = 10$ steps, SGD has 4000 and 10: its critical batch
  size is twice that of SGD, and it is better at no batch size.
- **C** At batches far below the knee, momentum 0.9 with a tuned rate needs clearly fewer examples than SGD.
- **D** With a fixed momentum of 0.9, a run at a very large batch can need more steps than SGD without momentum.
- **E** LARS without weight decay, no layer being 0, takes the same path if all gradients are multiplied by 100.
- **F** Because all weights start at 0, the true layer-wise ratio with its rule for zeros never moves, either.
- **G** LAMB computes its ratio from the norm of the gradient.
- **H** A team compares its new optimizer, best of 60 settings, with SGD at the rate that it has always used: that is
  a fair test, as both run at the same batch size.
- **I** Diagonal preconditioning in the noisy quadratic model is plain SGD in other coordinates.
"""

# %% solution="quiz_optimizers"
### BEGIN SOLUTION answer_quiz_optimizers = set()  # for example {"A", "B"}
answer_quiz_optimizers = {"B", "D", "E", "I"}
### END SOLUTION

# %% tests="quiz_optimizers_choice" points=1
# The verdict on each of your letters, with the reason.
check_choice("quiz_optimizers", answer_quiz_optimizers)

# %% [markdown]
r"""
## Recap

* The expected loss of noisy gradient descent on a quadratic has two parts, one without noise and one that is divided
  by $B$; you derived both, and simulated runs agree. One table gives the knee of every batch size.
* Momentum is a system of two. At small batches it is a larger rate and nothing else; at large ones it saves steps,
  and too much of it is a floor under their number. Preconditioning is SGD in other coordinates, and saves steps and
  examples.
* $B_\text{crit} = E_{\min}/S_{\min}$ is no score: worse gradients raise it. Ask for both numbers.
* You wrote LARS and LAMB. Without decay, the trust ratio makes a run independent of the size of each layer's
  gradients and of its scale. It has to be a norm of a whole layer, with a rule for zeros: taken for each coordinate
  it never starts at 0, and with a rate below 1 never changes a sign.
* In a race with equal tuning LARS paid for fewer steps at large batches with more examples at small ones, LAMB cost
  Adam both, and a first layer stored four times as large cost SGD more than that. Unequal tuning, a coarse grid, two
  changes at once, a missing baseline: these move a knee on paper.

**Where this breaks.** The model is a quadratic whose directions do not mix, with noise that never changes, and one
constant rate; a schedule that lowers the rate can save examples. The preconditioner knew the curvatures. The race is
a toy at one target, with fresh examples in every batch and without normalisation layers, decay or a schedule; LARS
was made for networks with those three, and steps of fixed relative length ask for a rate that falls. So do not take
its ranking elsewhere. Take its rules.

**Sources.** Zhang et al. 2019 (arXiv 1907.04164) for the noisy quadratic model and its test on networks; Shallue et
al. 2019 (1811.03600) for momentum and tuning at every batch size; You, Gitman and Ginsburg 2017 (1708.03888) for
LARS; You et al. 2019 and 2020 (1904.00962, versions 1 and later) for LAMB; Nado et al. 2021 (2102.06356). Code as
read in 2026: SimCLR `lars_optimizer.py`, timm `lars.py` and `lamb.py`, TensorFlow Addons `lamb.py`, Apex
`fused_lamb.py`, pytorch_optimizer 4.1.0. Yang et al. 2022 (2203.03466); Everett et al. 2024 (2407.05872); Essential
AI 2025 (2505.02222); Wen et al. 2025 (2509.02046); Chen et al. 2023 (2302.06675); Merrill et al. 2025 (2505.23971);
Zhang et al. 2024 (2410.21676); Bergsma et al. 2025 (2505.13738); Marek et al. 2025 (2507.07101): their abstracts. The
practical example and exercise 10.8.2: section 10.8 of a textbook on distributed machine learning.
"""
