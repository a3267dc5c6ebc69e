# %% [markdown]
r"""
# 03 · By how much may the step grow?

The batch has grown eightfold. The learning rate was tuned for the old batch; what should it be now? Books say "eight
times as much", other books say "the square root of eight times", and experience says that both can ruin a run. Each
rule is right under a premise that is seldom printed beside it. This lesson prints the premises.

**You will** derive three rules from three premises; find the exact condition under which the linear rule holds, and
break it on purpose; measure the best step of a real problem and compare it with the theory; refute two printed
reasons for a run that became unstable; and rescale Adam, all four of its settings.

**You need** lessons 00 and 01, gradients, and matrices up to eigenvalues.

**Minutes** 90

**Points** 14
"""

# %%
import itertools
import math

import matplotlib.pyplot as plt
import numpy as np

from largebatch import demos
from largebatch.check import WrongAnswer, check, check_raises, described
from largebatch.quiz import check_choice

plt.style.use("largebatch.course")

# %% [markdown]
r"""
| symbol | in code | meaning | unit |
|---|---|---|---|
| $B$, $B_0$ | `batch` | examples that one step averages over; $B_0$ is the batch of the run that works | examples |
| $k = B/B_0$ | `factor` | how many small steps one big step replaces | – |
| $\eta$ | `learning_rate` | factor between gradient and step | $\theta$ / gradient |
| $g_i$, $g_B$ | `example_gradients` | gradient of one example; mean of $B$ of them | loss / $\theta$ |
| $G$ | `mean_gradient` | mean over all examples, the true gradient | loss / $\theta$ |
| $\Sigma$ | `covariance` | covariance matrix of the $g_i$; $\operatorname{tr}\Sigma$ is the sum of its diagonal | (loss / $\theta$)² |
| $H$ | `hessian` | matrix of second derivatives of the loss | loss / $\theta^2$ |
| $\lambda$ | `curvature` | second derivative along one direction; of $H$, an eigenvalue | loss / $\theta^2$ |
| $B_\text{noise}$ | `noise_scale` | noise scale, section 3.5 | examples |
| $m$, $v$ | `m`, `v` | Adam's running means of gradient and squared gradient, of one weight | loss / $\theta$; its square |
| $\sigma^2$ | – | variance of an example's gradient for one weight | (loss / $\theta$)² |

## 3.1 What a larger batch changes

**Smallest case.** A data set of two examples, whose gradients for the single weight are $-1$ and $3$: mean 1,
variance 4. Draw batches *with replacement*, so that the same example may come twice. All batches of a size are
equally likely, and there are few enough to list them:
"""

# %%
for batch in (1, 2, 4, 8):
    averages = [np.mean(drawn) for drawn in itertools.product((-1.0, 3.0), repeat=batch)]
    print(f"{batch} examples: {len(averages):3d} batches, mean {np.mean(averages):.0f}, variance {np.var(averages)}")

# %% [markdown]
r"""
The mean stays, the variance is divided by $B$. For gradients with many entries the same holds for the whole
covariance matrix, by the argument of lesson 00: covariances of independent vectors add up, and a factor $1/B$ in
front of a vector puts $1/B^2$ in front of its covariance.

$$
\mathbb E\, g_B = G,
\qquad
\operatorname{Cov}(g_B) = \frac{1}{B^2}\,B\,\Sigma = \frac{\Sigma}{B} .
$$

So the standard deviation, the typical size of the noise (we call it *scatter*), falls with $1/\sqrt B$. (If no
example may come twice, as within an epoch over $N$ examples, $1/B$ becomes $1/B - 1/N$: the whole data set has no
noise at all.)

From here on one real problem accompanies us: logistic regression with 32 weights, 4096 examples, and features whose
variances are $1, \frac12, \frac13, \dots, \frac1{32}$, so that some directions are steep and others flat. Its loss is
measured in nats. We stand at the start, where all weights are 0. There the model says $\frac12$ to every example, so
that the Hessian of the logistic loss, the mean of $p(1-p)\,x x^\top$, is a quarter of the mean of $x x^\top$.
"""

# %%
rng = np.random.default_rng(7)
num_examples, num_weights = 4096, 32
features = rng.standard_normal((num_examples, num_weights)) / np.sqrt(np.arange(1, num_weights + 1))
true_weights = rng.standard_normal(num_weights)
labels = (rng.random(num_examples) < 1 / (1 + np.exp(-features @ true_weights))).astype(float)

example_gradients = (0.5 - labels)[:, None] * features  # the model says 0.5 to everything while all weights are 0
mean_gradient = example_gradients.mean(axis=0)
covariance = np.cov(example_gradients.T, bias=True)
print(f"trace of Σ {np.trace(covariance):.3f}, |G|² {mean_gradient @ mean_gradient:.4f}")

# %%
print("   B   measured variance / (trace / B):   with replacement   without   1 - B/N")
for batch in (16, 256, 2048):
    with_it = [example_gradients[rng.integers(0, num_examples, batch)].mean(axis=0) for _ in range(300)]
    without = [example_gradients[rng.permutation(num_examples)[:batch]].mean(axis=0) for _ in range(300)]
    ratios = [np.var(averages, axis=0).sum() / (np.trace(covariance) / batch) for averages in (with_it, without)]
    print(f"{batch:4d} {ratios[0]:52.2f} {ratios[1]:9.2f} {1 - batch / num_examples:9.2f}")

# %% [markdown]
r"""
**What you see.** $\operatorname{tr}\Sigma$ is more than a hundred times $|G|^2$: one example says little. Drawn with
replacement, the noise follows $\Sigma/B$ at every size, up to the luck of 300 draws. Half the data set in one batch,
without replacement, has half that variance. We draw with replacement from now on.

That is all that a larger batch does to the gradient. Whether the step should grow, and by how much, does not follow
from it: for that one must say what is to stay the same.

## 3.2 Premise one: the same examples, the same path

Compare two ways through the same $k B_0$ examples: $k$ steps with batch $B_0$ and rate $\eta$, or one step with batch
$k B_0$ and rate $\eta'$. Suppose that the weights move so little on the way that $G$ and $\Sigma$ stay what they are.

1. Small steps, mean: each moves by $-\eta G$ on average, so all together by $-k\,\eta\,G$.
2. Small steps, covariance: each adds $\eta^2\,\Sigma/B_0$, and they are independent: $k\,\eta^2\,\Sigma/B_0$.
3. Big step, mean: $-\eta' G$. Covariance: $\eta'^2\,\Sigma/(k B_0)$.
4. Equal means ask for $\eta' = k\eta$. With this rate the covariance of the big step is $k^2\eta^2\,\Sigma/(k B_0) =
   k\,\eta^2\,\Sigma/B_0$, which is that of the small steps.

One choice makes *both* match: the **linear rule** (Goyal et al. 2017). If the gradients do not change at all on the
way, even more is true: the two displacements are the same number, for every draw, because the mean of equal means is
the mean of everything (lesson 01).

But the weights do move. The cell takes 16 real steps of 8 examples, and one step of the same 128 examples with 16
times the rate, from the same start, in 2000 runs. It measures how far they get along the direction in which the loss
is curved most, with curvature $\lambda$.
"""

# %%
hessian = features.T @ features / 4 / num_examples  # of the logistic loss, where all weights are 0
eigenvalues, eigenvectors = np.linalg.eigh(hessian)
curvature, stiffest = eigenvalues[-1], eigenvectors[:, -1]  # eigh sorts by size


def displacement(learning_rate, chosen):
    """Return how far each run gets along the stiffest direction; chosen: examples of shape (runs, steps, batch)."""
    weights = np.zeros((len(chosen), num_weights))
    for step in chosen.swapaxes(0, 1):
        x, y = features[step], labels[step]
        errors = 1 / (1 + np.exp(-np.einsum("rbd,rd->rb", x, weights))) - y
        weights -= learning_rate * np.einsum("rb,rbd->rd", errors, x) / step.shape[1]
    return weights @ stiffest


# %%
num_steps, batch, num_runs, products = 16, 8, 2000, (0.1, 0.5, 1.0, 2.0)
measured = {}
print("big step / small steps:   mean   scatter")
for product in products:
    learning_rate = product / (num_steps * curvature)
    chosen = rng.integers(0, num_examples, (num_runs, num_steps, batch))
    small = displacement(learning_rate, chosen)
    big = displacement(num_steps * learning_rate, chosen.reshape(num_runs, 1, num_steps * batch))
    measured[product] = big.mean() / small.mean(), big.std() / small.std()
    print(f"k η λ = {product:.1f} {measured[product][0]:20.2f} {measured[product][1]:9.2f}")

# %% [markdown]
r"""
**What you see.** As long as $k\eta\lambda$ is small, the big step gets as far as the small ones and scatters as they
do; then it gets too far and scatters too much. Why just this product? Take a loss that is a parabola, $\frac12
\lambda \theta^2$, without noise. Its gradient is $\lambda\theta$, so

$$
\theta - \eta\lambda\theta = (1 - \eta\lambda)\,\theta,
\qquad
\text{after } k \text{ small steps } (1-\eta\lambda)^k\,\theta,
\qquad
\text{after the big step } (1 - k\eta\lambda)\,\theta .
$$

By the binomial theorem $(1-\eta\lambda)^k = 1 - k\eta\lambda + \frac{k(k-1)}{2}(\eta\lambda)^2 - \dots$ The two agree
in the first two terms and part at the third, which is at most $\frac12 (k\eta\lambda)^2$. And the scatter: noise that
enters $j$ small steps before the end is shrunk $j$ times by $1-\eta\lambda$, so that the variance of the small steps
is $\eta^2\frac{\Sigma}{B_0}\sum_{j<k}(1-\eta\lambda)^{2j}$ in the place of $k\,\eta^2\frac{\Sigma}{B_0}$, which the
big step has. So the condition of the linear rule is

$$
k\,\eta\,\lambda \ll 1 \qquad\text{for the largest curvature } \lambda .
$$

It is not enough that the *small* step is harmless. And where it fails, the parabola says by how much: the big step
covers the share $k\eta\lambda$ of the distance, the small steps $1-(1-\eta\lambda)^k$; and the ratio of their
scatters is $\sqrt{k \big/ \sum_{j<k} (1-\eta\lambda)^{2j}}$.
"""

# %%
print("big step / small steps:   mean (parabola, measured)   scatter (parabola, measured)")
for product in products:
    left = (1 - product / num_steps) ** np.arange(num_steps + 1)  # of the distance, after so many small steps
    mean, scatter = product / (1 - left[-1]), (num_steps / (left[:-1] ** 2).sum()) ** 0.5
    print(
        f"k η λ = {product:.1f} {mean:22.2f} {measured[product][0]:10.2f} {scatter:18.2f} {measured[product][1]:12.2f}"
    )

# %%
product = np.linspace(0, 3, 200)
fig, axes = plt.subplots()
for number in (4, 16):
    axes.plot(product, (1 - product / number) ** number, label=f"{number} small steps")
axes.plot(product, np.exp(-product), "k:", label="infinitely many: $e^{-kηλ}$")
axes.plot(product, 1 - product, color="C3", label="one big step")
axes.axhspan(-2, -1, color="C3", alpha=0.15, lw=0)
axes.text(0.05, -1.5, "further away than before, on the other side", va="center")
axes.set(xlabel="$kηλ$", ylabel="what is left of the distance", ylim=(-2, 1.4), xlim=(0, 3))
_ = axes.legend(ncols=2, loc="upper right")

# %% [markdown]
r"""
**What you see.** The parabola explains what the real problem did, mean and scatter, to within about 5 % here. (At 2
the measured mean is lower, since the curvature falls on the way.) At $k\eta\lambda = 1$ the big step lands in the
minimum, where the small steps have covered about two thirds of the way. At 2 it lands as far away on the other side,
and beyond 2 further away than it was. Small steps never overshoot in this picture.

The condition says nothing about *when*. A textbook has it that the linear rule breaks at one place only, the start of
training. Curvature can be large there, true, and lesson 04 is about that. But the condition can break at any time:
section 3.5 shows that a rate which is the best for one step breaks it as soon as the batch passes a certain size.

## Exercise 3.1: `merged_rate` (2 points, 7 minutes, core)

On a parabola one big step can do exactly what $k$ small ones do, if its rate is not $k\eta$. Return that rate.

- `learning_rate`: $\eta$ of the small steps; `curvature`: $\lambda > 0$; `num_steps`: $k \ge 1$
- returns $\eta'$ with $1 - \eta'\lambda$ equal to what $k$ small steps leave of the distance; $\eta\lambda$ may be
  above 1
- for rate 0.5, curvature 1 and 2 steps, 0.75: two steps leave a quarter

<details><summary>Hint 1 (click to open): which equation?</summary>

What the big step leaves = what the small steps leave. Both are in the derivation above.
</details>

<details><summary>Hint 2 (click to open): solved for η′?</summary>

Bring 1 to the other side and divide by $-\lambda$.
</details>
"""


# %% solution="merged_rate"
def merged_rate(learning_rate, curvature, num_steps):
    """Return the rate with which one step on a parabola does the same as num_steps steps with learning_rate."""
    ### BEGIN SOLUTION
    left = (1 - learning_rate * curvature) ** num_steps
    return (1 - left) / curvature
    ### END SOLUTION


# %% tests="merged_rate_by_hand" points=1
# Rate 0.1, curvature 2, 8 steps: they leave 0.8⁸ = 0.168 of the distance.
check(
    merged_rate(0.1, 2.0, 8),
    (1 - 0.8**8) / 2,
    what="rate of the merged step",
    mistakes={
        "this is the linear rule; with k η λ = 1.6 it overshoots": 0.8,
        "this is the share that is covered; divide it by the curvature": 1 - 0.8**8,
        "this is the share that is left, not a rate": 0.8**8,
        "this is the share that is left over the curvature; asked for is the share that is covered": 0.8**8 / 2,
        "the curvature is missing in what one small step leaves, 1 - η λ": (1 - 0.9**8) / 2,
        "the curvature is missing: a small step leaves 1 - η λ, and the big one 1 - η' λ": 1 - 0.9**8,
        "this is the limit of infinitely many small steps; here they are 8": (1 - math.exp(-1.6)) / 2,
        "this is the square-root rule; it has another premise": 0.1 * 8**0.5,
        "solve 1 - η' λ = left for η': the sign is the wrong way round": (0.8**8 - 1) / 2,
        "this multiplies by the curvature; divide by it": (1 - 0.8**8) * 2,
        "divide by the curvature, not by the rate": (1 - 0.8**8) / 0.1,
        "these are 7 steps; they are 8": (1 - 0.8**7) / 2,
        "this is the binomial series, cut after its third term; the rest counts too": 0.1 * 8 - 28 * 0.01 * 2,
    },
)

# %% tests="merged_rate_limits" points=1
# Checked when you are graded: one step changes nothing; the linear rule for k η λ ≪ 1; very many
# steps; rates beyond 1 / λ too.
### BEGIN HIDDEN TESTS
check(merged_rate(0.3, 1.7, 1), 0.3, what="merging a single step")
check(merged_rate(1e-3, 2.0, 5), 5e-3, rtol=1e-2, what="k η λ = 0.01: the linear rule")
check(merged_rate(0.1, 4.0, 500), 0.25, what="very many small steps: straight into the minimum")
for _rate, _curvature, _steps in ((1.5, 1.0, 2), (0.9, 2.0, 3), (0.02, 7.0, 11), (0.5, 0.3, 4)):
    _theta = 1.0
    for _ in range(_steps):
        _theta -= _rate * _curvature * _theta
    check(
        merged_rate(_rate, _curvature, _steps),
        (1 - _theta) / _curvature,
        what=f"rate {_rate}, curvature {_curvature}, {_steps} steps",
    )
### END HIDDEN TESTS

# %% [markdown]
r"""
## 3.3 Stable at 256, unstable at 2048

A practice problem in course notes: a recipe moves from 256 to 2048 examples, the rate is multiplied by 8, and
training becomes unstable. Why? Three reasons are printed as the answer:

1. above some batch size the noise of the gradient hardly falls any more;
2. the rate has passed $2/L$, with a "Lipschitz constant" $L$;
3. with Adam, larger batches do not make its running mean of squares, $v$, larger in proportion.

One of the three holds, with a condition. We settle it by computing, beginning with the second.

On the parabola every step multiplies $\theta$ by $1-\eta\lambda$. The run converges exactly if $|1-\eta\lambda| < 1$,
that is, if $0 < \eta\lambda < 2$. Smallest case, $\lambda = 1$ and $\theta = 1$ at first:
"""

# %%
for learning_rate in (0.5, 1.5, 2.0, 2.5):
    path = (1 - learning_rate) ** np.arange(7)
    print(f"rate {learning_rate}:", " ".join(f"{theta:8.3f}" for theta in path))

# %% [markdown]
r"""
With many directions, each has its own curvature, and the largest decides for all of them. So $L$ must be the largest
*curvature* (the Lipschitz constant of the *gradient*, called smoothness), not a bound on the slope of the loss. On
a parabola, passing $2/L$ then means divergence for certain. A real network may escape to a flatter place instead.

## Exercise 3.2: `stable_then_divergent` (2 points, 6 minutes, core)

Return an example that could only exist if reason 2 is sound: a parabola and a rate with which the recipe converges,
and with the rate multiplied by `factor` diverges. Many answers are right.

- `factor`: any number above 1, such as 8
- returns `(curvature, learning_rate)`, both positive; for a factor of 3, `(2.0, 0.5)` is one of the right answers
- the check runs the steps: from 1, 10 000 of them must bring $\theta$ nearer to 0 with `learning_rate`, and further
  away with `factor * learning_rate`

<details><summary>Hint 1 (click to open): what are the two conditions?</summary>

$\eta\lambda$ below 2, and `factor` times as much above 2. Only the product $\eta\lambda$ matters.
</details>

<details><summary>Hint 2 (click to open): how do I hit the interval for every factor?</summary>

It reaches from $2/\text{factor}$ to 2. A point between its ends, such as their mean, is in it.
</details>
"""


# %% solution="stable_then_divergent"
def stable_then_divergent(factor):
    """Return (curvature, learning_rate): steps converge with learning_rate and diverge with factor * learning_rate."""
    ### BEGIN SOLUTION
    return 1.0, 1 + 1 / factor  # in the middle between 2 / factor and 2
    ### END SOLUTION


# %% tests="stable_then_divergent_eightfold" points=1
# The recursion itself, with your curvature: your rate must converge; 8 times, and 1.001 times your rate, diverge.


def _distance(curvature, learning_rate):
    """Return the distance from the minimum after 10 000 steps from 1; stop where it is enormous."""
    theta = 1.0
    for _ in range(10_000):
        theta -= learning_rate * curvature * theta
        if abs(theta) > 1e6:
            break
    return abs(theta)


def _check_example(answer, factor):
    """Run the learner's example at 1 and at factor times the rate, and say what is wrong with it."""
    expected = f"(curvature, learning_rate) that converge, and diverge with {factor} times the rate"
    try:
        curvature, learning_rate = map(float, answer)
    except (TypeError, ValueError):
        raise WrongAnswer(expected, described(answer), "a pair of numbers is asked for") from None
    got = f"curvature {curvature:g}, rate {learning_rate:g}, so η λ = {curvature * learning_rate:g}"
    if not (curvature > 0 and learning_rate > 0):
        raise WrongAnswer(expected, got, "both must be positive: a minimum is curved upwards, and steps go downhill")
    before, after = (_distance(curvature, times * learning_rate) for times in (1, factor))
    if before > 1.000001:
        raise WrongAnswer(expected, got, "diverges with the rate itself: η λ is beyond 2 before it is multiplied")
    if before > 0.999999:
        raise WrongAnswer(expected, got, "the rate itself is at the edge or next to nothing: θ comes no nearer to 0")
    if after < 0.999999:
        raise WrongAnswer(expected, got, f"still converges with {factor} times the rate: that η λ is below 2")
    if after < 1.000001:
        raise WrongAnswer(expected, got, f"with {factor} times the rate it is exactly at the edge: θ jumps to and fro")
    print(f"right: {got}; the distance 1 becomes {before:.2g}, and with {factor} times the rate it grows without limit")


_check_example(stable_then_divergent(8), 8)
_check_example(stable_then_divergent(1.001), 1.001)

# %% tests="stable_then_divergent_any_factor" points=1
# Checked when you are graded: other factors, from next to 1 to very large.
### BEGIN HIDDEN TESTS
for _factor in (2, 1.1, 32, 1000, 1.0001):
    _check_example(stable_then_divergent(_factor), _factor)
### END HIDDEN TESTS

# %% [markdown]
r"""
So reason 2 can be true. Whether it is depends on the recipe: it was stable, so $\eta\lambda < 2$, and the 8 takes it
beyond exactly if $\eta\lambda$ was above $\frac14$.

Reasons 1 and 3 are about two numbers: the *variance* of a batch gradient, and its *mean square*, which Adam's $v$
follows. You can compute both.

## Exercise 3.3: `batch_moments` (2 points, 6 minutes, core)

Return the variance and the mean square of the gradient of a batch, for one single weight.

- `gradients`: gradients $g_i$ of all examples of the data set, shape `(N,)`
- `batch`: $B$ examples are drawn with replacement and averaged to $g_B$
- returns `(variance, mean_square)`: $\operatorname{Var}(g_B)$ and $\mathbb E\,g_B^2$ over all batches that could be
  drawn, exactly, without drawing any; for gradients $[-1, 3]$ and $B = 2$, `(2.0, 3.0)`

<details><summary>Hint 1 (click to open): the variance?</summary>

Section 3.1. The $g_i$ are the whole data set and no sample of it: `np.var` as it stands.
</details>

<details><summary>Hint 2 (click to open): the mean square?</summary>

For any random number, $\mathbb E\,x^2 = (\mathbb E\,x)^2 + \operatorname{Var}(x)$. Here $x = g_B$.
</details>
"""


# %% solution="batch_moments"
def batch_moments(gradients, batch):
    """Return (variance, mean square) of the mean of `batch` gradients, drawn with replacement."""
    ### BEGIN SOLUTION
    variance = np.var(gradients) / batch
    return variance, np.mean(gradients) ** 2 + variance
    ### END SOLUTION


# %% tests="batch_moments_by_hand" points=1
# Gradients 1, 3, 5 and 7, so G = 4 and σ² = 5; batches of 8.
check(
    batch_moments(np.array([1.0, 3.0, 5.0, 7.0]), 8),
    (0.625, 16.625),
    what="variance, mean square",
    mistakes={
        "this is the variance and the mean square of one example; averaging divides the variance by B": (5.0, 21.0),
        "this is the variance of one example; the mean square is right, the variance needs the 1/B too": (5.0, 16.625),
        "the mean square still holds the variance of one example; G² + σ²/B": (0.625, 21.0),
        "the mean of g² already holds the variance of one example; start from the square of the mean": (0.625, 21.625),
        "the mean square was divided by B as a whole; G² does not shrink, only the noise does": (0.625, 2.625),
        "the mean square of the gradient contains its mean, squared: add G²": (0.625, 0.625),
        "the mean square is larger than the square of the mean: add the variance": (0.625, 16.0),
        "the first is a standard deviation; asked for is the variance": (0.625**0.5, 16.625),
        "you divided the variance by N - 1, as for a sample; the gradients are the whole data set": (
            5 / 6,
            16 + 5 / 6,
        ),
        "the variance is divided by √B; that is how the standard deviation falls": (5 / 8**0.5, 16 + 5 / 8**0.5),
        "the variance was multiplied by B": (40.0, 56.0),
        "G enters squared": (0.625, 4.625),
        "the order is (variance, mean_square)": (16.625, 0.625),
        "N divides the variance here; it is B": (1.25, 17.25),
        "this divides the standard deviation by B; divide the variance": (5**0.5 / 8, 16 + 5**0.5 / 8),
        "the variance is divided by B twice": (5 / 64, 16 + 5 / 64),
        "this is drawn without replacement": (0.625 * (1 - 8 / 4), 16 + 0.625 * (1 - 8 / 4)),
        "this is drawn without replacement; here an example may come twice": (
            0.625 * (4 - 8) / 3,
            16 + 0.625 * (4 - 8) / 3,
        ),
    },
)

# %% tests="batch_moments_properties" points=1
# Checked when you are graded: against all batches of a small data set, one by one; huge batches;
# no noise; no signal.
### BEGIN HIDDEN TESTS
_gradients = np.array([-2.0, 0.5, 4.0])
for _batch in (1, 2, 5):
    _averages = np.array([np.mean(drawn) for drawn in itertools.product(_gradients, repeat=_batch)])
    _expected = (_averages.var(), (_averages**2).mean())
    check(batch_moments(_gradients, _batch), _expected, what=f"all batches of {_batch} of three examples")
check(batch_moments(np.array([1.0, 3.0]), 10**9), (1e-9, 4 + 1e-9), what="an enormous batch: only G² is left")
check(batch_moments(np.array([2.0, 2.0]), 4), (0.0, 4.0), atol=1e-12, what="examples without noise")
check(batch_moments(np.array([-1.0, 1.0]), 4), (0.25, 0.25), atol=1e-12, what="gradients with mean 0")
### END HIDDEN TESTS

# %% [markdown]
r"""
Now the verdict, on the real problem. The cell draws batches and measures both numbers, for the weight with the
largest gradient and for the one with the smallest. Before you run it: for which of them will the mean square fall?
"""

# %%
order = np.argsort(np.abs(mean_gradient))
print("weight with the             B=256      B=2048     ratio")
for name, weight in (("largest gradient", order[-1]), ("smallest gradient", order[0])):
    drawn = {
        batch: example_gradients[rng.integers(0, num_examples, (4000, batch)), weight].mean(axis=1)
        for batch in (256, 2048)
    }
    for what, measure in (("variance", np.var), ("mean square", lambda averages: np.mean(averages**2))):
        small, large = measure(drawn[256]), measure(drawn[2048])
        print(f"{name:18s}{what:12s}{small:9.1e}{large:11.1e}{small / large:8.2f}")

# %% [markdown]
r"""
**What you see.** Reason 1 is wrong: from 256 to 2048 the variance falls eightfold as always, for every weight and at
every batch size. What stops is not the fall of the noise but its *importance*: once curvature is what limits the
step, less noise permits no larger one (section 3.5). Reason 3 has it the wrong way round: $v$ does not fail to grow,
it *falls*: sixfold for the weight with little gradient, eightfold at most, hardly at all where the gradient
dominates. Adam divides by $\sqrt v$, so at an unchanged rate its steps along the gradient grow by themselves (section
3.6). Reason 2 stands for plain SGD, with $L$ the largest curvature.

## 3.4 Premise two: one step is as noisy as before

Another demand: a single step shall scatter as much as it did. Its covariance is $\eta^2\,\Sigma/B$, and

$$
\frac{\eta'^2\,\Sigma}{k B_0} = \frac{\eta^2\,\Sigma}{B_0}
\qquad\text{exactly if}\qquad
\eta' = \sqrt k\;\eta ,
$$

the **square-root rule** (Krizhevsky 2014). Here are both rules side by side, for $k = 8$, with everything in units of
the run that works:
"""

# %%
factor = 8
print("rule            rate   scatter of one step   path per example   variance per example")
for name, rate in (("unscaled", 1.0), ("square root", factor**0.5), ("linear", factor)):
    scatter, path, variance = rate / factor**0.5, rate / factor, rate**2 / factor / factor
    print(f"{name:14s}{rate:6.2f} {scatter:21.2f} {path:18.2f} {variance:22.2f}")

# %% [markdown]
r"""
**What you see.** Each rule has a column of its own that says 1 (the linear rule has two). The linear rule lets every
single step scatter $\sqrt8$ times as much (while its mean is 8 times as long); the square-root rule leaves only a
third of the path per example, so a run over the same data gets less far, unless it was noise that held it back.

A derivation in circulation starts from the signal-to-noise ratio $B\,|G|^2/\operatorname{tr}\Sigma$, notes that it
grows with $B$, calls the direction "$B$ times more reliable" and concludes that a $B$ times longer step is as safe:
the linear rule. The ratio is right and the conclusion does not follow. If "safe" means that a step is no noisier than
before, the result is $\sqrt B$. The linear rule follows from premise one, which compares *paths*, not single steps.

Both premises copy the old run, good or bad. The third asks for the best.

## 3.5 Premise three: the best expected loss after one step

Take one step from where we stand. What does it do to the loss, on average over batches, and which rate is the best?
(McCandlish et al. 2018, section 2.2, who write $\epsilon$ for the rate.)

1. To second order, $L(\theta - \eta g) = L - \eta\,G^\top g + \frac{\eta^2}{2}\, g^\top H g$.
2. Average over batches. The middle term gives $-\eta\,|G|^2$, because $\mathbb E\,g_B = G$.
3. In the last one, write $g^\top H g = \sum_{ij} H_{ij}\, g_j\, g_i = \operatorname{tr}(H g g^\top)$, and $\mathbb
   E\,g_B g_B^\top = G G^\top +
   \Sigma/B$, which is "mean square = square of the mean + variance" for vectors. So

$$
\mathbb E\, L(\theta - \eta g_B)
= L - \eta\,|G|^2 + \frac{\eta^2}{2}\Big(G^\top H G + \frac{\operatorname{tr}(H\Sigma)}{B}\Big) .
$$

4. The derivative with respect to $\eta$ vanishes at $\eta = |G|^2 \big/ \big(G^\top H G +
   \operatorname{tr}(H\Sigma)/B\big)$. Divide above and below by $G^\top H G$:

$$
\eta_\text{best}(B) = \frac{\eta_\text{max}}{1 + B_\text{noise}/B},
\qquad
\eta_\text{max} = \frac{|G|^2}{G^\top H G},
\qquad
B_\text{noise} = \frac{\operatorname{tr}(H\Sigma)}{G^\top H G} .
$$

5. Put $\eta = r\,\eta_\text{best}$ into the display, and by step 4 $|G|^2/\eta_\text{best}$ for its bracket: the
   change of the loss becomes $-\frac12\,\eta_\text{best}\,|G|^2\,(2r - r^2)$. The best step gains
   $\frac12\,\eta_\text{best}\,|G|^2$, a step twice as long gains nothing, and a longer one loses.

The best rate **saturates**: in proportion to $B$ for $B \ll B_\text{noise}$, constant for $B \gg B_\text{noise}$.
$B_\text{noise}$, in examples, is a *noise scale*. (Lesson 06 measures it without a Hessian. The simpler ratio
$\operatorname{tr}\Sigma/|G|^2$ goes by the same name, equals it where all directions are curved alike, and is not the
same number here:)
"""

# %%
squared, along = mean_gradient @ mean_gradient, mean_gradient @ hessian @ mean_gradient
largest_rate, noise_scale = squared / along, np.trace(hessian @ covariance) / along
print(f"B_noise {noise_scale:.0f} examples; the simpler ratio {np.trace(covariance) / squared:.0f} examples")
print(f"η_max {largest_rate:.1f}; the stability limit 2/λ of section 3.3 is {2 / curvature:.1f}")


def best_rate(batch):
    """Return the best rate for one step by the formula."""
    return largest_rate / (1 + noise_scale / batch)


# %% [markdown]
r"""
(A word on this problem. It was drawn with the seed 7, *chosen* because its noise scale is large, so that the effects
spread over many batch sizes. All of the 50 others in the next cell have a smaller one. What is measured below holds
for this problem; the formula holds for all losses, to second order.

A warning in the second line. The best rate for *one* step can be one that on a parabola would diverge if it were
repeated: it looks at the curvature along $G$ only. In a long run the stiffest direction has a say too.)
"""


# %%
def noise_scale_of(seed):
    """Return B_noise, in examples, of the problem that is drawn with this seed."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((num_examples, num_weights)) / np.sqrt(np.arange(1, num_weights + 1))
    true = rng.standard_normal(num_weights)
    g = (0.5 - (rng.random(num_examples) < 1 / (1 + np.exp(-x @ true))))[:, None] * x
    G, H = g.mean(axis=0), x.T @ x / 4 / num_examples
    return np.trace(H @ np.cov(g.T, bias=True)) / (G @ H @ G)


others = [noise_scale_of(seed) for seed in range(100, 150)]
print(f"seed 7: {noise_scale_of(7):.0f}; 50 other seeds: median {np.median(others):.0f}, largest {max(others):.0f}")

# %% [markdown]
r"""
Does the formula hold for real batches? Draw many of each size (more of the small ones, which scatter more), take the
step with several rates, compute the loss over all 4096 examples, average.
"""


# %%
def change_of_loss(steps):
    """Return how much each step changes the loss from where all weights are 0; steps: (num_steps, 32); nats."""
    outputs = features @ steps.T
    return np.log1p(np.exp(outputs)).mean(axis=0) - labels @ outputs / num_examples - np.log(2)


def batch_gradients(batch, num_draws, rng):
    """Return the gradients of num_draws batches, shape (num_draws, 32)."""
    return example_gradients[rng.integers(0, num_examples, (num_draws, batch))].mean(axis=1)


relative = np.array([0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 2.5])
fig, axes = plt.subplots()
for batch, num_draws, marker in ((16, 2000, "o"), (128, 1000, "s"), (1024, 200, "^")):
    gradients, gain = batch_gradients(batch, num_draws, rng), best_rate(batch) * squared / 2
    changes = np.array([change_of_loss(-r * best_rate(batch) * gradients) for r in relative]) / gain
    error = 2 * changes.std(axis=1) / num_draws**0.5
    axes.errorbar(relative, changes.mean(axis=1), error, fmt=marker, label=f"measured, B = {batch}", alpha=0.8)
r = np.linspace(0, 2.5, 100)
axes.plot(r, r**2 - 2 * r, "k", lw=1, label="second order: $r^2 - 2r$")
axes.axhline(0, color="grey", lw=0.8)
axes.set(xlabel="rate / best rate by the formula", ylabel="change of the loss /\nbest gain by the formula")
_ = axes.legend()

# %% [markdown]
r"""
**What you see.** One parabola for all batch sizes (bars: two standard errors), up to the best rate and a little
beyond. Further right the dots fall below it, those of large batches most: their rates are large and their steps long,
and long steps leave the region in which the loss is a parabola. Now the best rate itself, for six batch sizes, each
with eight independent seeds; the best of five rates, refined by a parabola through the three lowest points.
"""

# %%
sizes, relative, num_seeds = np.array([4, 16, 64, 256, 1024, 4096]), np.array([0.5, 0.7, 1.0, 1.4, 2.0]), 8


def measured_best(batch, seed):
    """Return the best rate for one step, measured on 100 batches, over the best rate by the formula."""
    gradients = batch_gradients(batch, 100, np.random.default_rng(seed))
    losses = np.array([change_of_loss(-r * best_rate(batch) * gradients).mean() for r in relative])
    lowest = np.clip(losses.argmin(), 1, len(losses) - 2)
    square, slope, _ = np.polyfit(relative[lowest - 1 : lowest + 2], losses[lowest - 1 : lowest + 2], 2)
    return -slope / (2 * square)


ratios = np.array([[measured_best(batch, seed) for seed in range(num_seeds)] for batch in sizes])
print("B       measured / formula: mean   lowest to highest of 8 seeds")
for batch, row in zip(sizes, ratios, strict=True):
    print(f"{batch:4d} {row.mean():27.2f} {row.min():17.2f} to {row.max():.2f}")

# %%
batches = np.geomspace(2, 8192, 100)
measured = ratios * best_rate(sizes)[:, None]
fig, axes = plt.subplots()
axes.loglog(batches, best_rate(batches), label="formula")
axes.fill_between(sizes, measured.min(axis=1), measured.max(axis=1), alpha=0.3, color="C1", lw=0)
axes.loglog(sizes, measured.mean(axis=1), "o", color="C1", label="measured (band: 8 seeds)")
axes.loglog(batches, largest_rate * batches / noise_scale, "k:", lw=1)
axes.axhline(largest_rate, color="black", ls=":", lw=1)
axes.axvline(noise_scale, color="grey", lw=0.8)
axes.text(noise_scale * 0.9, 0.15, "$B_{noise}$", ha="right")
axes.text(3, largest_rate * 1.1, "$η_{max}$")
axes.text(noise_scale * 0.8, 45, "linear law", ha="right")
axes.set(xlabel="batch (examples)", ylabel="best rate for one step", ylim=(0.1, 100))
_ = axes.legend(loc=(0.6, 0.3))

# %%
far = -largest_rate * mean_gradient  # the best step of an enormous batch
spread = 1 / (2 + np.exp(features @ far) + np.exp(-features @ far))  # p (1 - p) of each example
hessian_there = (features.T * spread) @ features / num_examples
print(f"curvature along the gradient, here: {along / squared:.3f}, there: ", end="")
print(f"{mean_gradient @ hessian_there @ mean_gradient / squared:.3f}")

# %% [markdown]
r"""
**What you see.** While $B$ grows a thousandfold and the rate more than sixtyfold, the formula is never far off. Up to
$B = 64$ its error is within the luck of single seeds of the batches; at large batches it is too cautious, by about a
sixth. The last cell says why: at the end of a long step the curvature is about 30 % lower than where it began, and
the formula knows only the beginning. (At this point the *third* derivatives of the loss vanish, because the model
says 0.5 to everything; the deviation is of fourth order.) How far off it is depends on the problem: where the noise
scale is smaller, as with most seeds, the best step is a larger part of the whole way, and the deviation is larger and
begins at smaller batches. Put the seed 1 in the place of the 7 in section 3.1 and run again, to see a formula that is
up to two thirds too cautious; then put the 7 back, since the text speaks of it.

## Exercise 3.4: `saturating_rate` (2 points, 6 minutes, core)

A rate was tuned at one batch: suppose that it is $\eta_\text{best}$ there. Return $\eta_\text{best}$ at another.

- `learning_rate`, `batch`: the tuned rate and its batch $B_0$
- `new_batch`: $B$; `noise_scale`: $B_\text{noise}$; all three sizes in examples, or all in tokens
- returns the new rate; for rate 1 at batch 100, going to 300 with a noise scale of 300, 2.0

<details><summary>Hint 1 (click to open): I do not know η_max. What now?</summary>

The tuned rate tells you: $\eta_\text{max} = \eta_0\,(1 + B_\text{noise}/B_0)$.
</details>

<details><summary>Hint 2 (click to open): how can I test my formula?</summary>

For a huge noise scale it must become the linear rule, for a tiny one it must not change the rate.
</details>
"""


# %% solution="saturating_rate"
def saturating_rate(learning_rate, batch, new_batch, noise_scale):
    """Return the best rate for one step at new_batch, if learning_rate is the best at batch."""
    ### BEGIN SOLUTION
    largest = learning_rate * (1 + noise_scale / batch)
    return largest / (1 + noise_scale / new_batch)
    ### END SOLUTION


# %% tests="saturating_rate_by_hand" points=1
# Rate 0.1, tuned at 256; the batch grows to 8192; the noise scale is 2000 examples.
check(
    saturating_rate(0.1, 256, 8192, 2000),
    0.1 * (1 + 2000 / 256) / (1 + 2000 / 8192),
    what="rate at batch 8192",
    mistakes={
        "this is the linear rule; the batch is four times the noise scale, where the best rate is almost flat": 3.2,
        "this is the square-root rule": 0.1 * 32**0.5,
        "this is 1 + B/B_noise in the place of 1/(1 + B_noise/B): it never saturates": 0.1 * 5.096 / 1.128,
        "this is the largest rate, for an infinite batch; divide it by 1 + B_noise/B": 0.1 * (1 + 2000 / 256),
        "this takes the tuned rate for η_max; it is η_best of the old batch": 0.1 / (1 + 2000 / 8192),
        "old and new batch are exchanged: a larger batch permits a larger rate": 0.1
        * (1 + 2000 / 8192)
        / (1 + 2000 / 256),
        "the rate has not changed": 0.1,
        "this is the factor; multiply the rate by it": (1 + 2000 / 256) / (1 + 2000 / 8192),
        "both factors divide; the old batch's must multiply": 0.1 / (1 + 2000 / 256) / (1 + 2000 / 8192),
        "both factors multiply; the new batch's must divide": 0.1 * (1 + 2000 / 256) * (1 + 2000 / 8192),
        "the ratio is upside down: 1 + B_noise/B": 0.1 * (1 + 256 / 2000) / (1 + 8192 / 2000),
        "the linear rule has no part in it: η_max / (1 + B_noise/B)": 3.2 / (1 + 2000 / 8192),
        "this is linear up to the noise scale and flat beyond it; the best rate bends gradually": 0.1 * 2000 / 256,
        "this is the linear rule times 1/(1 + B/B_noise); the tuned rate already holds that share at its own batch": 0.1
        * 8192
        / 256
        / (1 + 8192 / 2000),
    },
)

# %% tests="saturating_rate_limits" points=1
# Checked when you are graded: linear far below the noise scale, flat far above it, half of the
# maximum at it, and there and back again.
### BEGIN HIDDEN TESTS
check(saturating_rate(1.0, 100, 300, 300), 2.0, what="the example of the text")
check(saturating_rate(0.3, 64, 64, 777), 0.3, what="the same batch")
check(saturating_rate(0.1, 10, 40, 1e9), 0.4, rtol=1e-4, what="far below the noise scale: linear")
check(saturating_rate(0.1, 1e7, 4e7, 10), 0.1, rtol=1e-4, what="far above the noise scale: flat")
check(saturating_rate(0.5, 1000, 1e12, 1000), 1.0, rtol=1e-4, what="from the noise scale to no noise: twice")
check(saturating_rate(0.7083, 8192, 256, 2000), 0.1, rtol=1e-3, what="back from 8192 to 256")
### END HIDDEN TESTS

# %% [markdown]
r"""
**How long does the linear rule hold?** Of what the linear law $\eta_\text{max} B/B_\text{noise}$ says, the best rate
is the share $1/(1 + B/B_\text{noise})$. That is at least 90 % as long as $B \le B_\text{noise}/9$.

And when does it do harm? Let $\eta_0 = \eta_\text{best}(B_0)$, and scale it linearly:

$$
\frac{\eta_0\,B/B_0}{\eta_\text{best}(B)}
= \frac{B}{B_0}\cdot\frac{1 + B_\text{noise}/B}{1 + B_\text{noise}/B_0}
= \frac{B + B_\text{noise}}{B_0 + B_\text{noise}} .
$$

This passes 2, where by step 5 above a step gains nothing, exactly at $B = B_\text{noise} + 2B_0$.

The same ratio connects the premises. Since $1/\eta_\text{max} = G^\top H G/|G|^2$ is the curvature along the
gradient, the product $k\eta\lambda$ of section 3.2 is, in that direction, $k\eta_0/\eta_\text{max} = B/(B_0 +
B_\text{noise})$. **With the rate that is best for one step, $k\eta\lambda \ll 1$ asks at least for $B \ll
B_\text{noise}$**, wherever on the way one stands; in a direction that is curved more than $G$ (up to five times,
here: $2/\lambda$ against $\eta_\text{max}$ above) it asks for more. A rate that was tuned for a whole run is often
smaller than the best for one step at its start, and then the linear rule reaches further: what counts is
$k\eta\lambda$.

On the real problem, from the best rate at $B_0 = 16$, with 400 batches each. Before you run it: which rule will be
the first to raise the loss, and at which batch?
"""

# %%
first = 16
print(f"by the formula, the linear rule gains nothing at B = {noise_scale + 2 * first:.0f} and loses beyond")
print("        change of the loss (nats, ± standard error)")
print("B            linear rule      square-root rule       saturating rule")
for batch in (64, 256, 512, 1024, 2048):
    gradients, factor = batch_gradients(batch, 400, rng), batch / first
    rates = best_rate(first) * factor, best_rate(first) * factor**0.5, best_rate(batch)
    changes = [change_of_loss(-rate * gradients) for rate in rates]
    print(f"{batch:4d}" + "".join(f"{change.mean():+14.4f} ±{change.std() / 20:.4f}" for change in changes))

# %% [markdown]
r"""
**What you see.** At 64 the linear rule is as good as the best rate. At 256 it has lost a good part of the gain, at
512 a step already loses a little, and at 1024 a lot. (The formula sees the point of no gain too early, at 314 where
the change of sign lies between 256 and 512, again because the curvature falls along the way.) The square-root rule
loses at none of these batches, which it owes to the large noise scale of this problem; it wastes most gain in the
middle, and catches up where the best rate is flat.

## Exercise 3.5: `linear_rule_limit` (2 points, 6 minutes, core)

Recipes are seldom exactly tuned. Suppose that a rate is the share $s$ of the best one at its batch, and return the
largest batch to which the linear rule can take it before a step raises the expected loss.

- `batch`: $B_0$; `noise_scale`: $B_\text{noise}$, both in examples
- `share`: $s = \eta_0/\eta_\text{best}(B_0)$, between 0 and 2
- returns a number of examples, which need not be whole; for $B_0 = 100$, a noise scale of 500 and $s = 0.5$, 1900

<details><summary>Hint 1 (click to open): where does s enter?</summary>

In the displayed ratio above: the linear rate is now $s$ times what it was there, for every $B$.
</details>

<details><summary>Hint 2 (click to open): which equation?</summary>

That ratio, times $s$, equals 2. Solve for $B$.
</details>
"""


# %% solution="linear_rule_limit"
def linear_rule_limit(batch, noise_scale, share):
    """Return the batch at which the linearly scaled rate is twice the best; share: tuned rate over best rate."""
    ### BEGIN SOLUTION
    return 2 * (batch + noise_scale) / share - noise_scale
    ### END SOLUTION


# %% tests="linear_rule_limit_by_hand" points=1
# A rate that is 70 % of the best at 250 examples; noise scale 2000.
check(
    linear_rule_limit(250, 2000, 0.7),
    2 * 2250 / 0.7 - 2000,
    rtol=3e-4,  # rounded to whole examples is right, too
    unit="examples",
    mistakes={
        "this is right for s = 1; the recipe is at 0.7 of its best rate": 2500,
        "a smaller share lets the rule go further, but not just in proportion: solve s · ratio = 2": 2500 / 0.7,
        "a rate below the best has more room to grow, not less": 2 * 2250 * 0.7 - 2000,
        "a rate below the best has more room to grow, not less: this is s times the limit of the best rate": 2500 * 0.7,
        "here the linear rate equals the best one; the loss rises only beyond twice the best": 2250 / 0.7 - 2000,
        "subtract the noise scale at the end: the ratio holds B + B_noise": 2 * 2250 / 0.7,
        "this is the noise scale; the limit depends on batch and share too": 2000,
        "this is B_noise + 2 B_0 / s; the noise scale meets s too: solve s · ratio = 2": 2000 + 500 / 0.7,
        "this is the smallest batch at which the linear rule is 10 % off": 2000 / 9,
        "subtract the noise scale at the end; it is added here": 2 * 2250 / 0.7 + 2000,
        "the share divides batch and noise scale, not one of them": 2000 / 0.7 + 500,
        "here the rate is twice the best of the old batch; the best rate grows with the batch too": 2 * 250 / 0.7,
    },
)

# %% tests="linear_rule_limit_properties" points=1
# Checked when you are graded: the expected loss of section 3.5 changes its sign there, for any
# batch, noise scale and share.
### BEGIN HIDDEN TESTS
for _batch, _noise, _share in ((64, 1000, 1.0), (16, 300, 0.5), (1000, 50, 1.5), (8, 20_000, 0.1), (512, 512, 2.0)):
    _limit = linear_rule_limit(_batch, _noise, _share)
    check(
        _share * (_limit / _batch) / (1 + _noise / _batch) * (1 + _noise / _limit),
        2.0,
        what=f"linear rate over best rate at your limit, B_0 = {_batch}, B_noise = {_noise}, s = {_share}",
    )
### END HIDDEN TESTS

# %% [markdown]
r"""
The three rules in one picture. Predict first; then change the premise, and look for the smallest noise scale at which
the step for the 32-fold batch, by the linear rule, no longer raises the loss.
"""

# %%
demos.learning_rate_rules()

# %% [markdown]
r"""
**You should have seen** the linear rule follow the best rate as long as both batches are well below the noise scale,
and enter the shaded region at $B_\text{noise} + 2B_0$; from a noise scale of 3000 on (the formula says 1920), the
prediction's step lowers the loss again. The square root runs below the best rate in between and cuts through it where
that is flat; at a small noise scale it ends in the shaded region, too, only later. Going *down* to a much smaller
batch at a large noise scale, it is the square root that lands there.

What it still cannot say: what Adam does, whose step is not the rate times the gradient.

## 3.6 Adam

Adam keeps two running means for each weight and divides one by the root of the other. A gradient that is $j$ steps
old has the weight $(1-\beta)\beta^j$ in them, so that they remember about $1/(1-\beta)$ steps:

$$
m \leftarrow \beta_1 m + (1-\beta_1)\,g_B,
\qquad
v \leftarrow \beta_2 v + (1-\beta_2)\,g_B^2,
\qquad
\theta \leftarrow \theta - \eta\,\frac{m}{\sqrt v + \varepsilon} .
$$

(Both are divided by $1 - \beta^t$ at step $t$, to make up for their start at 0.) Take one weight, with gradient $G$
and variance $\sigma^2$ for each example, and ask for premise one: the same path over the same examples.

1. $v$ settles at the mean square of exercise 3.3: $G^2 + \sigma^2/B$. Suppose that **noise dominates**, $|G| \ll
   \sigma/\sqrt B$. Then $\sqrt v \approx \sigma/\sqrt B$.
2. $m$ delays gradients and loses none: each one enters with weights that add up to 1. So over many steps the path is
   the sum of $-\eta\,g_B/\sqrt v$.
3. Mean of one step: $-\eta\,G\sqrt B/\sigma$. It grows with $\sqrt B$ at an unchanged rate. Variance of one step:
   $\eta^2 (\sigma^2/B)/(\sigma^2/B) = \eta^2$, whatever $B$.
4. Over $D$ examples there are $D/B$ steps. Mean of the path: $-D\,\eta\,G/(\sigma\sqrt B)$. Variance: $D\,\eta^2/B$.
5. From $B$ to $k B$, mean *and* variance stay as they are exactly if $\eta' = \sqrt k\,\eta$.

So the premise that gives the linear rule for SGD gives the **square-root rule for Adam**. The other settings follow
the same idea. A memory of $1/(1-\beta)$ steps holds $B/(1-\beta)$ examples; to keep that, $1 - \beta' =
k\,(1-\beta)$, for both betas. And $\varepsilon$ must keep its proportion to $\sqrt v$, which becomes $\sqrt k$ times
smaller: $\varepsilon' = \varepsilon/\sqrt k$. This is the rule of Malladi et al. 2022 (arXiv 2205.10287), who derive
it properly, from stochastic differential equations. It ends where $k\,(1-\beta_1)$ passes 1: with $\beta_1 = 0.9$ no
batch can grow 32-fold under it. ($\beta' = \beta^k$ keeps the memory as well, agrees with it as long as $k(1-\beta)
\ll 1$, and has no end; but where the rule above ends, a single step spans the whole memory.)

Put to the test: one weight with a constant gradient and noise, 65 536 examples at batch 16, then at batch 128, once
where noise dominates and once where the gradient does. ($\varepsilon$ is negligible here.) Before you run it: which
rows will agree with the first?
"""


# %%
def adam_path(gradient, batch, learning_rate, beta1, beta2, num_examples=65_536, num_runs=1000, seed=0):
    """Return how far Adam moves a weight, shape (num_runs,); an example's gradient has the given mean and variance 1."""
    rng, theta = np.random.default_rng(seed), np.zeros(num_runs)
    m, v = np.zeros(num_runs), np.zeros(num_runs)
    for step in range(1, num_examples // batch + 1):
        g = gradient + rng.standard_normal(num_runs) / batch**0.5
        m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g**2
        theta -= learning_rate * m / (1 - beta1**step) / (np.sqrt(v / (1 - beta2**step)) + 1e-8)
    return theta


settings = {  # batch, learning rate, both betas
    "batch 16": (16, 1e-3, 0.9, 0.999),
    "batch 128, unscaled": (128, 1e-3, 0.9, 0.999),
    "batch 128, square root": (128, 1e-3 * 8**0.5, 0.2, 0.992),
    "the same, old betas": (128, 1e-3 * 8**0.5, 0.9, 0.999),
    "batch 128, linear": (128, 8e-3, 0.9, 0.999),
    "linear, new betas": (128, 8e-3, 0.2, 0.992),
}
paths = {G: {name: adam_path(G, *setting) for name, setting in settings.items()} for G in (0.02, 1.0)}
print("                           G = 0.02, noise dominates      G = 1, the gradient dominates")
print("                           path (mean)      scatter        path (mean)      scatter")
for name in settings:
    print(f"{name:24s}", "   ".join(f"{paths[G][name].mean():+12.3f} {paths[G][name].std():12.4f}" for G in paths))

# %%
fig, axes = plt.subplots()
for index, (name, path) in enumerate(list(paths[0.02].items())[:-1]):
    counts, edges = np.histogram(path, bins=40)
    axes.stairs(
        counts / counts.max(),
        edges,
        color=f"C{index}",
        fill=name not in ("batch 16", "the same, old betas"),
        alpha=0.6,
        lw=2,
        label=name,
    )
axes.set(xlabel="displacement after 65 536 examples", ylabel="runs / most frequent", ylim=(0, 1.6), yticks=(0, 0.5, 1))
_ = axes.legend(ncols=2, loc="upper left")

# %% [markdown]
r"""
**What you see.** Where noise dominates, the square-root rule reproduces the run at batch 16, mean and scatter, to
within a tenth; the linear rule goes almost three times as far and scatters almost three times as much. (The small
rest: at batch 128 the gradient is no longer entirely lost in the noise, for $B G^2/\sigma^2$ has grown from 0.006 to
0.05.) The mean does not depend on the betas, for this gradient never changes. The scatter does where the gradient
dominates, because $v$ then follows it. How the betas act on a gradient that changes is derived here, not tested. In
the right-hand columns of the table, with $|G| \gg \sigma/\sqrt B$, a step is about $\eta$ long *whatever the batch*:
the square-root rule falls behind by almost $\sqrt8$, and keeping the path takes the linear one (with the new betas,
the last row, also its scatter). In between, the mean of one step is $-\eta\,G/\sqrt{G^2 +
\sigma^2/B}$, and the path is kept by something between the square root and the linear rule, which differs from weight
to weight. And as with SGD the curvature, which this test leaves out, sets an upper limit.

## Exercise 3.6: `rescale_adam` (3 points, 9 minutes, core)

Move Adam's settings to another batch, by the square-root rule.

- `learning_rate`, `beta1`, `beta2`, `epsilon`: settings that work at `batch`
- `batch`, `new_batch`: in the same unit; the batch may grow or shrink
- returns `(learning_rate, beta1, beta2, epsilon)` for `new_batch`; for 0.001, 0.9, 0.99, 1e-8 and twice the batch,
  `(0.00141, 0.8, 0.98, 7.07e-9)`
- raises `ValueError` where a new beta would be negative

<details><summary>Hint 1 (click to open): what does the rule multiply in the betas?</summary>

$1-\beta$, not $\beta$.
</details>

<details><summary>Hint 2 (click to open): in which direction does each setting go?</summary>

Larger batch: larger rate, shorter memory in steps (smaller betas), smaller epsilon.
</details>
"""


# %% solution="rescale_adam"
def rescale_adam(learning_rate, beta1, beta2, epsilon, batch, new_batch):
    """Return (learning_rate, beta1, beta2, epsilon) for new_batch; ValueError where the rule leaves its range."""
    ### BEGIN SOLUTION
    factor = new_batch / batch
    beta1, beta2 = 1 - factor * (1 - beta1), 1 - factor * (1 - beta2)
    if beta1 < 0 or beta2 < 0:
        raise ValueError(f"the batch grows {factor:g}-fold, and a beta would be negative")
    return learning_rate * factor**0.5, beta1, beta2, epsilon / factor**0.5
    ### END SOLUTION


# %% tests="rescale_adam_smaller_batch" points=1
# A recipe for 4 million tokens moves to 1 million: rate 3e-4, betas 0.9 and 0.95, epsilon 1e-8.
_new = rescale_adam(3e-4, 0.9, 0.95, 1e-8, 4_000_000, 1_000_000)
if np.shape(_new) != (4,):
    raise WrongAnswer("(learning_rate, beta1, beta2, epsilon)", described(_new), "four numbers are asked for")
check(
    _new[0],
    1.5e-4,
    what="learning rate",
    mistakes={
        "this is the linear rule; where noise dominates, Adam's step grows with √B by itself": 7.5e-5,
        "the rate has not changed": 3e-4,
        "the batch shrinks, and so must the rate": 6e-4,
        "this is the linear rule, the wrong way round": 1.2e-3,
    },
)
check(
    _new[1:3],
    (0.975, 0.9875),
    what="beta1, beta2",
    mistakes={
        "the betas have not changed: their memory, in examples, is now four times shorter": (0.9, 0.95),
        "the factor multiplies 1 - β, not β": (0.225, 0.2375),
        "only beta1 was adapted": (0.975, 0.95),
        "only beta2 was adapted": (0.9, 0.9875),
        "this makes the memory shorter; a smaller batch needs more steps for the same examples": (0.6, 0.8),
        "1 - β is multiplied by the factor, not by its square root: it counts examples, it measures no noise": (
            0.95,
            0.975,
        ),
        "the order is beta1, beta2": (0.9875, 0.975),
        "these are 1 - β of the new settings": (0.025, 0.0125),
        "the factor multiplies 1 - β, and the result is taken from 1; this is 1 - factor · β": (0.775, 0.7625),
        "this is β to the power of the factor, which is the same only for β near 1; the factor multiplies 1 - β": (
            0.9**0.25,
            0.95**0.25,
        ),
        "the betas are divided by the factor; it multiplies 1 - β": (3.6, 3.8),
    },
)
check(
    _new[3],
    2e-8,
    what="epsilon",
    mistakes={
        "epsilon went the wrong way: a smaller batch has a larger √v": 5e-9,
        "epsilon has not changed: it must keep its proportion to √v": 1e-8,
        "this follows v; epsilon is added to √v": 4e-8,
        "this follows v, the wrong way round": 2.5e-9,
    },
)

# %% tests="rescale_adam_range" points=1
# A batch 32 times as large with beta1 = 0.9: impossible. Three times as large is possible.
check_raises(ValueError, rescale_adam, 3e-4, 0.9, 0.95, 1e-8, 256, 8192, because="beta1 would become -2.2")
check(
    rescale_adam(1e-3, 0.9, 0.99, 1e-8, 64, 192),
    (1e-3 * 3**0.5, 0.7, 0.97, 1e-8 / 3**0.5),
    what="three times the batch",
)

# %% tests="rescale_adam_properties" points=1
# Checked when you are graded: the same batch, there and back, two moves in a row, and betas that
# leave the range one at a time.
### BEGIN HIDDEN TESTS
_settings = (2e-3, 0.9, 0.99, 1e-8)
check(rescale_adam(*_settings, 100, 100), _settings, what="the same batch")
_there = rescale_adam(*_settings, 64, 256)
check(_there, (4e-3, 0.6, 0.96, 5e-9), what="four times the batch")
check(rescale_adam(*_there, 256, 64), _settings, what="there and back again")
check(rescale_adam(*_there, 256, 512), rescale_adam(*_settings, 64, 512), what="two moves in a row")
check(
    rescale_adam(1e-3, 0.99, 0.999, 1e-8, 8, 256)[1:3], (0.68, 0.968), what="betas 0.99, 0.999 and 32 times the batch"
)
check_raises(ValueError, rescale_adam, 1e-3, 0.9, 0.999, 1e-8, 1, 32, because="beta1 would be negative")
check_raises(ValueError, rescale_adam, 1e-3, 0.99, 0.96, 1e-8, 1, 32, because="beta2 would be negative")
### END HIDDEN TESTS

# %% [markdown]
r"""
## 3.7 What was measured, and four traps

Goyal et al. 2017 (arXiv 1706.02677) trained a ResNet-50 on ImageNet with $\eta = 0.1 \cdot B/256$ and momentum 0.9.
Their top-1 validation errors, for the same number of epochs, five runs each: 23.60 ± 0.12 % at batch 256; at batch
8192, 23.74 ± 0.09 % with the linear rule and a gradual warmup, 26.22 ± 0.03 % with the square-root rule, 41.67 ± 0.10
% with the rate unscaled. With the linear rule and a gradual warmup (lesson 04) the error is flat from 64 to 8192, and
rises beyond. So for *this* workload, up to *this* batch, the linear rule is the right one of the three; that the
training curves lie on each other, too (their figure 3), speaks for premise one. Shallue et al. 2019 (arXiv
1811.03600) tuned the rate separately at every batch on many workloads and found that neither rule held on all of
them. **A rule gives the first guess of a search, and no more.**

The largest effect in those numbers is not between the rules. It is between scaling and not scaling.

**Trap 1: momentum.** With momentum $m$ every gradient enters with weight $1 + m + m^2 + \dots = 1/(1-m)$. A rate that
was found without momentum must not be reused with it, as a listing in a textbook does:
"""

# %%
velocity, with_momentum, without = 0.0, 0.0, 0.0
for _ in range(1000):  # a constant gradient of 1, rate 0.1
    velocity = 0.9 * velocity + 1.0
    with_momentum, without = with_momentum - 0.1 * velocity, without - 0.1
print(f"after 1000 steps: {without:.0f} without momentum, {with_momentum:.0f} with momentum 0.9")

# %% [markdown]
r"""
**Trap 2: multiplying the loss.** Instead of the rate one can multiply the loss by $k$. For plain SGD that is the
same. With weight decay that the optimizer adds to the gradient, it is not, because the decay does not grow along: one
step on a weight of 2 with gradient 1, decay 0.1, rate 0.1 and $k = 8$:
"""

# %%
weight, gradient, decay, learning_rate, factor = 2.0, 1.0, 0.1, 0.1, 8
print(f"step with rate times 8: {factor * learning_rate * (gradient + decay * weight):.2f}", end=", ")
print(f"step with loss times 8: {learning_rate * (factor * gradient + decay * weight):.2f}")

# %% [markdown]
r"""
**Trap 3: counting the wrong thing.** The rules speak of the batch. If a run moves from 1 GPU to 8 and accumulation
goes from 1 to 4, the batch has grown 32-fold, and 8 is not the factor. If it moves to 8 GPUs with an eighth of the
accumulation, nothing has grown.

**Trap 4: the wrong optimizer.** One explanation of the linear rule has this example: batch 256 with rate 0.001, so
batch 2048 with 0.008, since a more accurate gradient permits a bigger step. That is the argument of section 3.4,
which gives a square root; and a rate of 0.001 looks like Adam, of which it is the default. `largebatch.scaling` holds
the four rules that you have derived, and says:
"""

# %%
from largebatch import scaling

print(f"linear {scaling.linear(0.001, 256, 2048):.4f}, square root {scaling.square_root(0.001, 256, 2048):.4f}")
adam = scaling.adam_square_root(0.001, 0.9, 0.999, 1e-8, 256, 2048)
print(f"with the rest: betas {adam.beta1:.3f} and {adam.beta2:.3f}, epsilon {adam.epsilon:.1e}")

# %% [markdown]
r"""
## Exercise 3.7: `quiz_scaling` (1 point, 5 minutes, core)

Which of these statements hold? Answer with a set of letters.

- **A** An SGD recipe with rate 0.1 moves from 256 to 8192 examples, and the noise scale is far above that: 3.2 is a
  sensible first guess.
- **B** The batch grew 32-fold because a run went from 1 GPU to 8 and from 1 to 4 accumulation steps: the linear rule
  multiplies the rate by 8.
- **C** The rate 0.1 was tuned without momentum; switching on momentum 0.9 at the same rate makes steps about ten
  times as effective.
- **D** That the noise of a batch gradient has variance $\Sigma/B$ is enough to derive the linear rule.
- **E** In the model of section 3.5, with a rate that is the best at 256 and a noise scale of 2000, the linear rule
  makes a step at batch 2048 raise the expected loss.
- **F** With Adam and gradients that are mostly noise, the path over the same examples keeps its mean and its variance
  if the rate grows with the square root of the batch.
- **G** Multiplying the loss by $k$ always does the same as multiplying the rate by $k$.
- **H** At batch 8192, Goyal et al. found the square-root rule to be better than the linear one.
- **I** The derivation of the linear rule from premise one needs a convex loss.
"""

# %% solution="quiz_scaling"
### BEGIN SOLUTION answer_quiz_scaling = set()  # for example {"A", "B"}
answer_quiz_scaling = {"A", "C", "F"}
### END SOLUTION

# %% tests="quiz_scaling_choice" points=1
# The verdict on each of your letters, with the reason.
check_choice("quiz_scaling", answer_quiz_scaling)

# %% [markdown]
r"""
## Recap

* A larger batch divides the covariance of the gradient by $B$, always. A rule for the rate needs a premise on top.
* *Same path per example*: linear for SGD while $k\eta\lambda \ll 1$; for the best one-step rate that asks at least
  for a batch well below the noise scale. For Adam with noisy gradients the same premise gives the square root, with
  new betas and a new $\varepsilon$.
* *Same noise per step*: square root. *Best expected loss of one step*: saturating, $\eta_\text{max}/(1 +
  B_\text{noise}/B)$.
* From the best one-step rate, a linear step raises the expected loss beyond $B_\text{noise} + 2B_0$; on a parabola,
  steps diverge where $\eta\lambda$ passes 2.
* The variance never stops falling; curvature is what stops the step from growing.

**Where this breaks.** The best rate for one step looks one step ahead: a run is also limited by its stiffest
direction, and lessons 05 and 07 look at whole runs. $B_\text{noise}$ changes during training (lesson 06). The theory
of Adam assumed a constant gradient; weights differ in how noisy they are, and one rate serves them all. And no rule
knows your workload: tune around its guess.

**Sources.** Goyal et al. 2017 (arXiv 1706.02677), section 2.1 for the rule, section 3 for the remarks on weight decay
and momentum, table 2 for the comparison at 8192; McCandlish et al. 2018 (1812.06162), section 2.2; Krizhevsky 2014
(1404.5997); Malladi et al. 2022 (2205.10287); Shallue et al. 2019 (1811.03600).
"""
