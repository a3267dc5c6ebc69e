# %% [markdown]
r"""
# 02 · Is accumulating $K$ micro-batches really the big batch?

Gradient accumulation promises the step of a big batch on a machine that cannot hold one: run $K$ micro-batches one
after the other, add up their gradients, step once. For years, widely used training code kept that promise only when
all micro-batches were equally long (section 2.4); the loss curves looked plausible. The error was reported in July
2023 at the latest (transformers #24725) and repaired only after it was found again in October 2024 (trl #2175,
transformers #34191). This lesson proves the promise, then collects the cases in which it breaks, with a number for
each.

**You will** prove that accumulation equals the big batch and verify it for SGD, momentum and Adam; write an
accumulation step that survives every check; repair the loss for micro-batches and ranks with unequal numbers of
tokens; list what breaks the equality; and count what accumulation saves.

**You need** lesson 01, and PyTorch: a module, a loss, `backward()`, an optimizer.

**Minutes** 80

**Points** 15
"""

# %%
import copy

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

from largebatch import demos
from largebatch.activations import saved_bytes
from largebatch.check import WrongAnswer, check, check_raises
from largebatch.quiz import check_choice
from largebatch.transformer import blocks

plt.style.use("largebatch.course")
torch.set_num_threads(1)  # for tensors as small as these, several threads only wait for each other
torch.set_default_dtype(torch.float64)  # rounding errors of 1e-16, so that a real difference cannot hide among them

# %% [markdown]
r"""
| symbol | in code | meaning | unit |
|---|---|---|---|
| $\theta$ | `weights` | parameters of the model | – |
| $K$ | `accumulation_steps` | micro-batches before one optimizer step | – |
| $b$ | `micro_batch` | examples in each of them, as long as they are equal | examples |
| $B = K b$ | `global_batch` | examples in one step (a single rank until section 2.5) | examples |
| $\ell_i$ | – | loss of example $i$ | that of the loss; nats for cross-entropy |
| $g_k$ | – | gradient of the **mean** loss of micro-batch $k$ | loss per unit of $\theta$ |

## 2.1 The proof

**Smallest case.** A model with one weight $w$ predicts $w x$; the loss is the squared error. Four examples, two
micro-batches, at $w = 0$:
"""

# %%
x, y = np.ones(4), np.array([1.0, 3.0, 5.0, 7.0])
example_gradients = 2 * (0.0 * x - y) * x  # derivative of (w x - y)² with respect to w
print("gradient of each example:  ", example_gradients)
print("mean over each micro-batch:", example_gradients.reshape(2, 2).mean(axis=1))
print("mean of the two means:     ", example_gradients.reshape(2, 2).mean(axis=1).mean())
print("mean over the big batch:   ", example_gradients.mean())

# %% [markdown]
r"""
**The proof, step by step.** Let the big batch hold $B = K b$ examples, cut into micro-batches $\mathcal B_1, \dots,
\mathcal B_K$ of $b$ each.

1. The loss of the big batch is a mean: $L(\theta) = \frac1B \sum_{i=1}^{B} \ell_i(\theta)$.
2. The gradient of a sum is the sum of the gradients: $\nabla L = \frac1B \sum_{i=1}^{B} \nabla \ell_i$.
3. Sort the sum by micro-batches. Nothing is lost or counted twice: $\nabla L = \frac1B \sum_{k=1}^{K} \sum_{i \in
   \mathcal B_k} \nabla \ell_i$.
4. The gradient of one micro-batch is $g_k = \frac1b \sum_{i \in \mathcal B_k} \nabla \ell_i$, so the inner sum is
   $b\,g_k$.
5. With $B = K b$ this gives

$$
\nabla L \;=\; \frac{1}{K b}\sum_{k=1}^{K} b\, g_k \;=\; \frac1K \sum_{k=1}^{K} g_k .
$$

All $g_k$ must be taken at the same $\theta$, so the optimizer may not step in between.

6. An optimizer is a rule that turns weights, its own state and *one gradient* into new weights and a new state. It is
   given the same gradient in both cases; so if weights and state were equal before the step, they are equal after it.
   By induction they stay equal for the whole run, for SGD, momentum, Adam or any other rule of that kind. $\square$

Step 5 on 24 random examples of a linear regression, for several $K$:
"""

# %%
rng = np.random.default_rng(0)
features, labels, weights = rng.standard_normal((24, 5)), rng.standard_normal(24), rng.standard_normal(5)


def mean_gradient(features, labels):
    """Return the gradient of the mean squared error with respect to the weights, shape (5,)."""
    return 2 * features.T @ (features @ weights - labels) / len(labels)


for accumulation_steps in (2, 3, 8, 24):
    pieces = zip(np.split(features, accumulation_steps), np.split(labels, accumulation_steps), strict=True)
    mean_of_pieces = np.mean([mean_gradient(*piece) for piece in pieces], axis=0)
    difference = np.abs(mean_of_pieces - mean_gradient(features, labels)).max()
    print(f"K = {accumulation_steps:2d}: largest difference {difference:.0e}")

# %% [markdown]
r"""
The catch is in PyTorch's convention: `backward()` **adds** to `.grad`. After $K$ calls it holds $\sum_k g_k$, the
*sum* of the $K$ means, which is $K$ times too large. (In course notes one can read the opposite, that it is too
*small* by the size of the micro-batch. Step 5 settles it.)

## Exercise 2.1: `accumulated_gradient` (2 points, 5 minutes, warm-up)

Return the gradient of the big batch from the gradients of its micro-batches. They come one at a time, from an
iterator: it has no length, and there is no second pass.

- `gradients`: iterator over $K \ge 1$ arrays of equal shape; array $k$ is $g_k$, the gradient of the *mean* loss of
  $b$ examples
- returns an array of that shape, the gradient of the mean loss of all $K b$ examples
- the arrays belong to the caller: do not change them

<details><summary>Hint 1 (click to open): what must I keep between two micro-batches?</summary>

A running sum and a count. Do not keep all gradients: that is what accumulation avoids.
</details>

<details><summary>Hint 2 (click to open): why do the caller's arrays change?</summary>

`total = first; total += second` changes `first` in place, because both names mean the same array. Start from `0.0`,
or write `total = total + gradient`.
</details>
"""


# %% solution="accumulated_gradient"
def accumulated_gradient(gradients):
    """Return the gradient of the big batch; `gradients` yields those of its equally large micro-batches."""
    ### BEGIN SOLUTION
    total, accumulation_steps = 0.0, 0
    for gradient in gradients:
        total = total + gradient
        accumulation_steps += 1
    return total / accumulation_steps
    ### END SOLUTION


# %% tests="accumulated_gradient_by_hand" points=1
# Three micro-batches, two weights.
check(
    accumulated_gradient(iter([np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([5.0, 9.0])])),
    [3.0, 5.0],
    what="gradient of the big batch",
    mistakes={
        "this is the sum of the K gradients, K times too large; each of them is a mean already": [9.0, 15.0],
        "only the last micro-batch is left: what came before was overwritten or set to zero": [5.0, 9.0],
        "only the last micro-batch is left, divided by K: the sum is set to zero inside the loop": [5 / 3, 3.0],
        "only the first micro-batch counts": [1.0, 2.0],
        "the number of micro-batches is one too small: did you count the first one?": [4.5, 7.5],
        "each sum was halved on the way, so early micro-batches fade: divide once, at the end": [3.5, 6.0],
    },
)

# %% tests="accumulated_gradient_properties" points=1
# Checked when you are graded: equals the big batch for any number of micro-batches, and leaves
# the caller's arrays alone.
### BEGIN HIDDEN TESTS
_big = np.random.default_rng(2).standard_normal((24, 2, 3))  # 24 example gradients of shape (2, 3)
for _pieces in (1, 2, 8, 24):
    _micro = [part.mean(axis=0) for part in np.split(_big, _pieces)]
    _before = copy.deepcopy(_micro)
    check(accumulated_gradient(iter(_micro)), _big.mean(axis=0), atol=1e-12, what=f"{_pieces} micro-batches")
    check(np.array(_micro), np.array(_before), what="the caller's gradients, which must not change")
### END HIDDEN TESTS

# %% [markdown]
r"""
## 2.2 Is it true to the last digit?

A proof is about real numbers; a computer rounds. Train two copies of a small network for 10 steps on the same data:
one sees each batch of 32 examples at once, the other averages the gradients of 4 micro-batches of 8.
`torch.autograd.grad` returns gradients without adding them up anywhere, so that nothing happens behind our back.
"""

# %%
torch.manual_seed(0)
network = nn.Sequential(nn.Linear(10, 16), nn.Tanh(), nn.Linear(16, 1))
batches = [(torch.randn(32, 10), torch.randn(32, 1)) for _ in range(10)]


def set_gradient(model, pieces):
    """Set .grad of each parameter to the mean over the pieces of the gradient of the mean loss.

    pieces: list of (inputs, targets)
    """
    parameters = list(model.parameters())
    per_piece = [torch.autograd.grad(nn.functional.mse_loss(model(x), y), parameters) for x, y in pieces]
    for parameter, *gradients in zip(parameters, *per_piece, strict=True):
        parameter.grad = torch.stack(gradients).mean(dim=0)


# %%
def trained(make_optimizer, accumulation_steps, dtype):
    """Return all weights after 10 steps, each batch cut into accumulation_steps micro-batches."""
    model = copy.deepcopy(network).to(dtype)
    optimizer = make_optimizer(model.parameters())
    for inputs, targets in batches:
        pieces = zip(
            inputs.to(dtype).chunk(accumulation_steps), targets.to(dtype).chunk(accumulation_steps), strict=True
        )
        set_gradient(model, list(pieces))
        optimizer.step()
    return nn.utils.parameters_to_vector(model.parameters())


optimizers = {
    "SGD": lambda parameters: torch.optim.SGD(parameters, lr=0.1),
    "SGD, momentum 0.9": lambda parameters: torch.optim.SGD(parameters, lr=0.1, momentum=0.9),
    "Adam": lambda parameters: torch.optim.Adam(parameters, lr=0.01),
}
start = nn.utils.parameters_to_vector(network.parameters())
print("                   largest move   largest difference: 64 bits   32 bits")
for name, make_optimizer in optimizers.items():
    at_once = {dtype: trained(make_optimizer, 1, dtype) for dtype in (torch.float64, torch.float32)}
    apart = [(weights - trained(make_optimizer, 4, dtype)).abs().max() for dtype, weights in at_once.items()]
    moved = (at_once[torch.float64] - start).abs().max()
    print(f"{name:18s} {moved:12.2f} {apart[0]:29.0e} {apart[1]:9.0e}")

# %% [markdown]
r"""
**What you see.** The weights moved by a visible amount, and the two runs differ by what the number format cannot
hold, 64-bit numbers in the 16th digit and 32-bit numbers in the 7th: rounding, and nothing else.

Everyday code does not stack gradients. It lets `backward()` add them up, one micro-batch after the other, and then
steps. Five things must be right: clear old gradients, divide each loss by $K$, do not clear in between, do not step
in between, log the loss of the whole step.

## Exercise 2.2: `train_step` (4 points, 12 minutes, core)

Write one training step with accumulation.

- `model`, `optimizer`: as usual; `.grad` may hold leftovers from earlier
- `loss_function(predictions, targets)`: the mean loss of a micro-batch, a scalar tensor
- `micro_batches`: a list of $K \ge 1$ pairs `(inputs, targets)`, all of the same size; $K$ may differ from call to
  call (the last step of an epoch is often shorter)
- makes one optimizer step, that of the big batch; returns the mean loss of the big batch before the step, a float
- at any time, only one micro-batch is in memory: its backward pass is done before the next one enters the model

<details><summary>Hint 1 (click to open): the order of events?</summary>

Clear, then for each micro-batch: forward, loss, backward. Then step, once.
</details>

<details><summary>Hint 2 (click to open): where does the division go?</summary>

`(loss / len(micro_batches)).backward()`. What you report is the sum of these scaled losses.
</details>
"""


# %% solution="train_step"
def train_step(model, optimizer, loss_function, micro_batches):
    """Make one optimizer step over all micro-batches and return the mean loss before it, a float."""
    ### BEGIN SOLUTION
    optimizer.zero_grad()
    logged = 0.0
    for inputs, targets in micro_batches:
        loss = loss_function(model(inputs), targets) / len(micro_batches)
        loss.backward()
        logged += loss.item()
    optimizer.step()
    return logged
    ### END SOLUTION


# %% tests="train_step_by_hand" points=1
# One weight at 0, learning rate 0.1. Targets 1, 1, 4 (gradient -4), then 5, 5, 8 (gradient -12);
# the big batch has -8.
_one_weight = nn.Linear(1, 1, bias=False)
nn.init.zeros_(_one_weight.weight)
_one_weight.weight.grad = torch.full((1, 1), 100.0)  # left over from earlier
_pairs = [
    (torch.ones(3, 1), torch.tensor([[1.0], [1.0], [4.0]])),
    (torch.ones(3, 1), torch.tensor([[5.0], [5.0], [8.0]])),
]
_optimizer = torch.optim.SGD(_one_weight.parameters(), lr=0.1)
train_step(_one_weight, _optimizer, nn.functional.mse_loss, _pairs)
check(
    _optimizer.param_groups[0]["lr"],
    0.1,
    what="the learning rate, which must not change",
    mistakes={"divide the loss by K, not the learning rate: for Adam the two differ (section 2.3)": 0.05},
)
check(
    _one_weight.weight,
    [[0.8]],
    what="the weight after the step",
    mistakes={
        "nothing moved: optimizer.step() is missing, or came before backward(), or zero_grad() stands between": [[0.0]],
        "the gradients were added and not divided by K: the step is K times too long (or there were two)": [[1.6]],
        "only the last micro-batch counts: zero_grad() stands inside the loop, or backward() after it": [[1.2]],
        "only the last micro-batch counts, divided by K: zero_grad() stands inside the loop, or backward() after it": [
            [0.6]
        ],
        "only the first micro-batch counts: return stands inside the loop": [[0.2]],
        "the optimizer stepped after each micro-batch: the second gradient was taken at other weights": [[1.52]],
        "the optimizer stepped after each micro-batch, with the loss divided by K": [[0.78]],
        "the optimizer stepped after each micro-batch, the second time with both gradients": [[1.92]],
        "the optimizer stepped after each micro-batch, the second time with both gradients divided by K": [[0.98]],
        "old gradients were not cleared: zero_grad() is missing, or comes only after the step": [[-9.2]],
        "old gradients were not cleared, and the new ones not divided by K": [[-8.4]],
        "the loss is a mean over the examples already; divide by K only, not by the examples too": [[0.8 / 3]],
        "you divided by the size of a micro-batch, 3; divide by their number K, 2": [[1.6 / 3]],
    },
)

# %% tests="train_step_logged_loss" points=1
# What the same step reports: the mean loss of all six examples is (1 + 1 + 16 + 25 + 25 + 64) /
# 6 = 22.
nn.init.zeros_(_one_weight.weight)
_logged = train_step(_one_weight, torch.optim.SGD(_one_weight.parameters(), lr=0.1), nn.functional.mse_loss, _pairs)
check(
    _logged,
    22.0,
    what="the loss that was returned",
    mistakes={
        "this is the loss of the last micro-batch alone": 38.0,
        "this is the loss of the last micro-batch, divided by K: the logged curve would be K times too low": 19.0,
        "this is the loss of the first micro-batch alone": 6.0,
        "this is the sum over the micro-batches; divide it by K": 44.0,
        "this was divided by K twice: the logged curve would be K times too low": 11.0,
        "this is the loss after the step; asked for is the loss before it": 16.24,
        "the second micro-batch was run after a step, at other weights": 20.82,
        "the second micro-batch was run after a step that was K times too long": 19.68,
        "your function has emptied the caller's list of micro-batches": 0.0,
    },
)
if getattr(_logged, "requires_grad", False):
    raise WrongAnswer(
        "a float", "a tensor with its graph", "log loss.item(), or the graph of every step stays in memory"
    )
### BEGIN HIDDEN TESTS
for _pieces in (1, 3, 4):
    _model, _inputs, _targets = copy.deepcopy(network), batches[0][0][:12], batches[0][1][:12]
    _expected = nn.functional.huber_loss(_model(_inputs), _targets)
    _micro = list(zip(_inputs.chunk(_pieces), _targets.chunk(_pieces), strict=True))
    _logged = train_step(_model, torch.optim.SGD(_model.parameters(), lr=0.1), nn.functional.huber_loss, _micro)
    check(
        _logged,
        _expected,
        what=f"the loss of {_pieces} micro-batches",
        mistakes={"divide by the number of micro-batches in this step, not by a fixed one": _expected * _pieces / 2},
    )
### END HIDDEN TESTS

# %% tests="train_step_one_at_a_time" points=1
# Memory: the backward pass of a micro-batch is done before the next one enters the model.
_waiting, _sizes = [], []


def _watch(_model, inputs, predictions):
    """Note the size of each micro-batch; refuse it while an earlier one waits for its backward pass."""
    if _waiting:
        raise WrongAnswer(
            "backward() before the next micro-batch",
            "one still waiting",
            "its activations stay in memory; if this pass was only for logging, use the loss that you have",
        )
    if predictions.requires_grad:
        _sizes.append(len(inputs[0]))
        _waiting.append(predictions)
        predictions.register_hook(lambda _gradient: _waiting.clear())


_handle = _one_weight.register_forward_hook(_watch)
try:
    train_step(_one_weight, torch.optim.SGD(_one_weight.parameters(), lr=0.1), nn.functional.mse_loss, _pairs)
finally:
    _handle.remove()
check(
    max(_sizes, default=0),
    3,
    what="most examples in the model at a time",
    mistakes={"the micro-batches were joined to the big batch, which does not fit in memory": 6},
)

# %% tests="train_step_optimizers" points=1
# Checked when you are graded: equals the big batch for SGD, momentum and Adam, over several
# steps, whatever the number of micro-batches.
### BEGIN HIDDEN TESTS
for _name, _make_optimizer in optimizers.items():
    for _sizes in ((1, 1, 1), (4, 4, 2), (3, 5, 1)):  # K of three steps in a row; the last step of an epoch is shorter
        _whole, _cut = copy.deepcopy(network), copy.deepcopy(network)
        _whole_optimizer, _cut_optimizer = _make_optimizer(_whole.parameters()), _make_optimizer(_cut.parameters())
        for _pieces, (_inputs, _targets) in zip(_sizes, batches, strict=False):
            _inputs, _targets = _inputs[: 6 * _pieces], _targets[: 6 * _pieces]
            _whole_optimizer.zero_grad()
            nn.functional.huber_loss(_whole(_inputs), _targets).backward()
            _whole_optimizer.step()
            _micro = list(zip(_inputs.chunk(_pieces), _targets.chunk(_pieces), strict=True))
            train_step(_cut, _cut_optimizer, nn.functional.huber_loss, _micro)
            check(len(_micro), _pieces, what="micro-batches in the caller's list, which must not change")
        check(
            nn.utils.parameters_to_vector(_cut.parameters()),
            nn.utils.parameters_to_vector(_whole.parameters()),
            atol=1e-7,
            what=f"weights after three steps of {_sizes} micro-batches with {_name}",
        )
        check(
            int(_cut.training), 1, what="model.training after the step: eval() would switch dropout and BatchNorm off"
        )
### END HIDDEN TESTS

# %% [markdown]
r"""
## 2.3 Who notices a missing $1/K$?

Suppose that the division was forgotten. SGD takes steps that are $K$ times too long. Adam divides the gradient by a
running measure of its own size, so a constant factor in front of all gradients cancels, as long as gradients are far
above the $\varepsilon = 10^{-8}$ that it adds for safety, and weight decay is kept apart (AdamW). One common "repair"
therefore does harm: to sum, and to divide the *learning rate* by $K$.
"""

# %%
accumulation_steps = 8


def update(optimizer_class, gradient_factor, lr):
    """Return by how much five steps move one weight, if its gradient is 1, 2, 3, 4, 5 times the factor."""
    weight = nn.Parameter(torch.zeros(1))
    optimizer = optimizer_class([weight], lr=lr)
    for gradient in (1.0, 2.0, 3.0, 4.0, 5.0):
        weight.grad = torch.full((1,), gradient * gradient_factor)
        optimizer.step()
    return weight.item()


print("                           SGD        Adam")
for name, factor, lr in (("mean", 1, 0.01), ("sum", 8, 0.01), ("sum, learning rate / 8", 8, 0.01 / 8)):
    print(f"{name:22s} {update(torch.optim.SGD, factor, lr):+9.4f}   {update(torch.optim.Adam, factor, lr):+9.4f}")

# %% [markdown]
r"""
**What you see.** For plain SGD the sum is 8 times too long, and a smaller learning rate makes up for it. For Adam the
sum does nothing, and the smaller learning rate makes every step 8 times too short. Nor is the sum harmless with Adam
in practice: gradient clipping, 16-bit overflow and logged gradient norms all see gradients that are $K$ times too
large. Divide.

## 2.4 When micro-batches are not the same size

So far every micro-batch held equally many examples. Text does not come in equal pieces: once padding is masked out,
one micro-batch may hold 900 tokens that carry a loss, and the next only 100.

| symbol | in code | meaning | unit |
|---|---|---|---|
| $n_k$ | `num_tokens[k]` | tokens of micro-batch $k$ that carry a loss | tokens |
| $\ell_{kj}$ | `token_losses[k][j]` | loss of token $j$ of micro-batch $k$ | nats |
| $T = \sum_k n_k$ | `total_tokens` | tokens in the step | tokens |

**Smallest case.** Micro-batch 1 has three tokens with loss 1, micro-batch 2 has one token with loss 5. One big batch
would report $(1+1+1+5)/4 = 2$. The mean of the two means is $(1+5)/2 = 3$. Which is "the loss"?
"""

# %%
token_losses = [np.array([1.0, 1.0, 1.0]), np.array([5.0])]
print(f"mean of means    {np.mean([losses.mean() for losses in token_losses]):.1f} nats")
print(f"mean over tokens {np.concatenate(token_losses).mean():.1f} nats")

# %% [markdown]
r"""
Both are weighted sums of the same token losses; compare the weights.

$$
\underbrace{\frac1K\sum_{k=1}^{K}\frac{1}{n_k}\sum_{j=1}^{n_k}\ell_{kj}}_{\text{weight } 1/(K n_k)\text{ for each token}}
\qquad\text{against}\qquad
\underbrace{\frac1T\sum_{k=1}^{K}\sum_{j=1}^{n_k}\ell_{kj}}_{\text{weight } 1/T\text{ for each token}} .
$$

They agree for all losses exactly when $K n_k = T$ for every $k$, that is, when all micro-batches are equal. Otherwise
a token of micro-batch $k$ counts $T/(K n_k)$ times as much as it should. Gradients are linear in the losses, so the
same weights apply to them.
"""

# %%
num_tokens = np.array([losses.size for losses in token_losses])
print("how much each token counts:", (num_tokens.sum() / (len(num_tokens) * num_tokens)).round(2))

# %% [markdown]
r"""
**What you see.** The lone token counts twice, each of the other three only two thirds. Does it matter in a long run,
or does it average out?
"""

# %%
demos.ragged_micro_batches()

# %% [markdown]
r"""
**You should have seen** that it depends on whether length and loss go together. Where short texts are harder, the
mean of means is too high on average; where long ones are, too low. Set *loss of long minus short* to 0: the mean of
means is right *on average*, and only noisier than the mean over tokens, for it gives much weight to the means of few
tokens.

## Exercise 2.3: `token_weighted_loss` (2 points, 8 minutes, core)

Return the loss that one big batch would report, from the token losses of the micro-batches. They come one at a time
and are gone afterwards: the big batch does not fit.

- `token_losses`: iterator over $K$ arrays; array $k$ has shape `(num_tokens[k],)`, in nats; arrays may be empty
- returns a float, in nats; for the smallest case above, 2.0
- raises `ValueError` where no token carries a loss

<details><summary>Hint 1 (click to open): what must be remembered between micro-batches?</summary>

Two running numbers, both of them sums. A mean cannot be continued; a sum can.
</details>

<details><summary>Hint 2 (click to open): where does the division go?</summary>

After the last micro-batch, once. If you divide earlier, you do not know $T$ yet.
</details>
"""


# %% solution="token_weighted_loss"
def token_weighted_loss(token_losses):
    """Return the mean loss over all tokens, in nats; `token_losses` yields arrays of shape (num_tokens,)."""
    ### BEGIN SOLUTION
    loss_sum, total_tokens = 0.0, 0
    for losses in token_losses:
        loss_sum += losses.sum()
        total_tokens += losses.size
    if total_tokens == 0:
        raise ValueError("no token carries a loss")
    return loss_sum / total_tokens
    ### END SOLUTION


# %% tests="token_weighted_loss_by_hand" points=1
# Micro-batches of 512, 64, 1024 and 16 tokens with mean losses of 2.0, 3.0, 1.8 and 4.0 nats.
_ragged = [np.full(512, 2.0), np.full(64, 3.0), np.full(1024, 1.8), np.full(16, 4.0)]
check(
    token_weighted_loss(iter(_ragged)),
    3123.2 / 1616,
    unit="nats",
    mistakes={
        "you averaged the means of the micro-batches: the 16 tokens of the last one count as much as 1024 others": 2.7,
        "you added the means of the micro-batches and never divided": 10.8,
        "you divided by the number of tokens and then once more by the number of micro-batches": 3123.2 / 1616 / 4,
        "you multiplied by the number of micro-batches: a mean over tokens needs no such repair": 3123.2 / 1616 * 4,
        "you added all token losses and never divided by the number of tokens": 3123.2,
        "you divided the sum of all token losses by the number of micro-batches": 3123.2 / 4,
        "you counted 1024 tokens for each micro-batch: padding carries no loss": 3123.2 / 4096,
        "each sum was halved on the way, so early micro-batches fade: divide once, at the end": 3.075,
        "only the last micro-batch is left": 4.0,
    },
)

# %% tests="token_weighted_loss_properties" points=1
# Checked when you are graded: any split of the same tokens gives the same loss, empty pieces do
# not matter, no tokens is an error.
### BEGIN HIDDEN TESTS
_tokens = np.random.default_rng(2024).gamma(2.0, size=1000)
_before = _tokens.copy()
for _cuts in ([500], [10, 20, 900], [0, 1, 999, 1000]):
    check(
        token_weighted_loss(iter(np.split(_tokens, _cuts))),
        _before.mean(),
        unit="nats",
        what=f"tokens split at {_cuts}",
    )
    check(_tokens, _before, what="the caller's losses, which must not change")
check(token_weighted_loss(iter([np.zeros(2), np.zeros(1)])), 0.0, what="three tokens, each with a loss of 0")
check_raises(ValueError, token_weighted_loss, iter([np.array([]), np.array([])]), because="no token carries a loss")
### END HIDDEN TESTS

# %% [markdown]
r"""
## 2.5 The same, over several ranks

| symbol | in code | meaning | unit |
|---|---|---|---|
| $R$ | `num_ranks` | data-parallel ranks ($N$ in lesson 01, where $n$ was still free) | – |
| $n_r$ | – | tokens of rank $r$ that carry a loss, in all its micro-batches of the step | tokens |
| $T = \sum_r n_r$ | `total_tokens` | tokens in the step, now over all ranks too | tokens |
| $c$ | – | factor that each rank puts before the sum of its token losses | 1 / tokens |

With several ranks, PyTorch's `DistributedDataParallel` averages the gradients of all $R$ ranks with equal weights: a
mean of means again, with the same flaw if the ranks hold unequal numbers of tokens. The ranks can repair it without
touching the averaging, if each of them calls `backward()` on a loss that is scaled in advance. Let rank $r$ use the
loss $L_r = c \sum_j \ell_{rj}$. We look for the $c$ with which the average over ranks is the mean over tokens:

$$
\frac1R\sum_{r=1}^{R} L_r \;=\; \frac{c}{R}\sum_{r=1}^{R}\sum_{j=1}^{n_r}\ell_{rj} \;=\; \frac1T\sum_{r=1}^{R}\sum_{j=1}^{n_r}\ell_{rj}
\qquad\text{exactly if}\qquad c = \frac{R}{T} .
$$

Two factors, then: divide by the tokens of *all* ranks, and multiply by the number of ranks to undo the averaging. $K$
does not appear at all, because sums of micro-batches simply add up. The price: $T$ must be known before the first
`backward()`, so each rank fetches all micro-batches of the step first, and one small all-reduce adds up their tokens.
(Or call `backward()` on plain sums and multiply the gradients by $R/T$ just before the step; then $T$ may come last.)

## Exercise 2.4: `local_loss` (2 points, 6 minutes, core)

Return the loss on which a rank should call `backward()`, for one micro-batch.

- `token_losses`: losses of this rank's micro-batch, in nats, shape `(num_tokens,)`; may be empty. A NumPy array in
  the first check, and a PyTorch tensor in real life: use its own method `.sum()`, which both have
- `total_tokens`: $T$, tokens in the whole step, over all ranks and micro-batches
- `num_ranks`: $R$; the framework averages gradients over the ranks with equal weights
- returns a scalar, in nats
- in the check, two ranks hold 300 tokens with a loss sum of 600 and 100 tokens with a loss sum of 300; one big batch
  would report 900 / 400

<details><summary>Hint 1 (click to open): sum or mean of the local losses?</summary>

The sum. The mean would divide by the rank's own number of tokens, which must not matter.
</details>

<details><summary>Hint 2 (click to open): the factor?</summary>

$c$ in the derivation above.
</details>
"""


# %% solution="local_loss"
def local_loss(token_losses, total_tokens, num_ranks):
    """Return the loss for backward() on one rank; averaged over ranks, it is the mean over all tokens."""
    ### BEGIN SOLUTION
    return token_losses.sum() * num_ranks / total_tokens
    ### END SOLUTION


# %% tests="local_loss_two_ranks" points=1
# Rank 0: 300 tokens of 2 nats. Rank 1: 100 tokens of 3 nats. The framework averages over the two
# ranks.
_on_ranks = [np.full(300, 2.0), np.full(100, 3.0)]
check(
    np.mean([float(local_loss(losses, 400, 2)) for losses in _on_ranks]),
    2.25,
    unit="nats",
    what="average over the ranks",
    mistakes={
        "each rank used its own mean: rank 1's tokens count three times as much as rank 0's": 2.5,
        "the division by all tokens is right, but the averaging over ranks divides by 2 once more": 1.125,
        "the number of ranks is in it twice: the framework averages, it does not add": 4.5,
        "this divides by the number of ranks; multiply, to undo the averaging": 0.5625,
        "each rank used its own mean, times the number of ranks; use its sum, and all tokens": 5.0,
        "the factor R / T is right, but it belongs before the sum of the losses, not before their mean": 0.0125,
        "this is the mean, divided by all tokens once more: use the sum, and undo the averaging": 0.00625,
        "this is the rank's own mean, divided by the ranks; use the sum, all tokens, and multiply by the ranks": 1.25,
        "the sum was divided by the ranks; divide it by all tokens and multiply by the ranks": 225.0,
        "the sum was not divided by the number of tokens": 450.0,
        "you multiplied by the ranks and never divided by the tokens": 900.0,
    },
)

# %% tests="local_loss_any_split" points=1
# Checked when you are graded: ranks and micro-batches of any size, an empty one too; and
# gradients pass through it in PyTorch.
### BEGIN HIDDEN TESTS
_tokens = np.random.default_rng(7).gamma(2.0, size=600)
_before = _tokens.copy()
for _num_ranks, _cuts in ((1, [[]]), (2, [[10], [300]]), (3, [[0, 5], [50], [500]])):
    _shares = np.split(_tokens, [100 * rank for rank in range(1, _num_ranks)])
    _averaged = np.mean(
        [
            sum(float(local_loss(part, 600, _num_ranks)) for part in np.split(share, cut))
            for share, cut in zip(_shares, _cuts, strict=True)
        ]
    )
    check(_averaged, _before.mean(), unit="nats", what=f"{_num_ranks} ranks, micro-batches cut at {_cuts}")
    check(_tokens, _before, what="the caller's losses, which must not change")
_losses = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
local_loss(_losses, 12, 4).backward()
check(_losses.grad, [1 / 3] * 3, what="gradient with respect to each token loss, 12 tokens on 4 ranks")
### END HIDDEN TESTS

# %% [markdown]
r"""
The repair in public code has this form: transformers divides a *summed* loss by `num_items_in_batch`, the tokens of
the whole step (#34191, #34198), later counted over all ranks and multiplied by their number (#34373).

## 2.6 What else breaks the promise?

The proof used five things: the loss is a *mean of per-example losses*, each computed *independently of its
neighbours*; a pass gives *the same numbers* whenever it is run; gradients are only *added and scaled* before the
step, by the $K$ that the step really has; and sums are *exact*, or nearly (section 2.2). Whatever violates one of
them breaks the equality. Here are the cases, with their numbers.

**Clipping each micro-batch.** Clipping shortens a gradient to a maximal norm $m$: $\operatorname{clip}(g) = g \cdot
\min(1, m/\lVert g\rVert)$. That is not linear. Two micro-batches with gradients that point in different directions,
limit $m = 1$; first equally long ones, then not:
"""


# %%
def clip(gradient, max_norm):
    """Return the gradient, shortened to max_norm where it is longer."""
    return gradient * min(1.0, max_norm / np.linalg.norm(gradient))


for gradients in (np.array([[2.0, 0.0], [0.0, 2.0]]), np.array([[3.0, 0.0], [0.0, 1.0]])):
    print("average first, then clip:", clip(gradients.mean(axis=0), 1.0).round(3), end="   ")
    print("clip each, then average:", np.mean([clip(gradient, 1.0) for gradient in gradients], axis=0).round(3))

# %% [markdown]
r"""
**What you see.** In the first line the direction is the same, but the step has norm 0.707 instead of 1; in the second
the direction changes too, because clipping made both micro-batches count alike.

## Exercise 2.5: `clipped_gradient` (2 points, 5 minutes, core)

Return the gradient that the optimizer should be given: accumulated over equally large micro-batches, and clipped.

- `gradients`: list of $K \ge 1$ arrays of the same shape (any shape), gradients of the mean losses
- `max_norm`: limit on the norm, the square root of the sum of the squares of all entries
- returns an array of that shape; a gradient that is within the limit, even one that is all zeros, is returned as it
  is

<details><summary>Hint 1 (click to open): in which order?</summary>

The big batch would be clipped once, just before the step.
</details>

<details><summary>Hint 2 (click to open): what about a gradient of zeros?</summary>

`gradient / norm` gives `nan` there, and `max_norm / norm` a warning. Compare before you divide: `if norm > max_norm`.
</details>
"""


# %% solution="clipped_gradient"
def clipped_gradient(gradients, max_norm):
    """Return the accumulated gradient, shortened to max_norm where it is longer."""
    ### BEGIN SOLUTION
    gradient = np.mean(gradients, axis=0)
    norm = np.sqrt((gradient**2).sum())
    return gradient * max_norm / norm if norm > max_norm else gradient
    ### END SOLUTION


# %% tests="clipped_gradient_by_hand" points=1
# Limit 3. First the average is [4.5, 1.5], of norm 4.74; then it is [1.35, 1.8], of norm 2.25.
_direction = np.array([4.5, 1.5]) / np.hypot(4.5, 1.5)
check(
    clipped_gradient([np.array([9.0, 0.0]), np.array([0.0, 3.0])], 3.0),
    3 * _direction,
    mistakes={
        "each micro-batch was clipped before averaging; clip once, after it": [1.5, 1.5],
        "each micro-batch was clipped before adding; average first, then clip once": [3.0, 3.0],
        "the running sum was clipped after each micro-batch; clip once, at the end": [4.5**0.5, 4.5**0.5],
        "the running sum of gradients / K was clipped after each micro-batch; clip once, at the end": [
            7.2**0.5,
            1.8**0.5,
        ],
        "each entry, or each gradient / K, was clipped on its own; clip the average once, by its norm": [3.0, 1.5],
        "the average was not clipped": [4.5, 1.5],
        "this is shortened to norm 1, not to max_norm": _direction,
        "the sum was clipped and then divided by K, so the step is K times too short": 1.5 * _direction,
        "the gradients were added, neither averaged nor clipped": [9.0, 3.0],
        "the norm is the square root of the sum of squares; this divides by the sum itself": [0.6, 0.2],
    },
)
check(
    clipped_gradient([np.array([2.7, 0.0]), np.array([0.0, 3.6])], 3.0),
    [1.35, 1.8],
    mistakes={
        "the average is within the limit; this was stretched to it, or the sum was clipped in its place": [1.8, 2.4],
        "the gradients were added, not averaged": [2.7, 3.6],
    },
)

# %% tests="clipped_gradient_properties" points=1
# Checked when you are graded: short gradients are left alone, zeros stay zeros, long ones keep
# their direction, any shape will do.
### BEGIN HIDDEN TESTS
_some = list(np.random.default_rng(3).standard_normal((5, 4, 3)))
_before = copy.deepcopy(_some)
_average = np.mean(_some, axis=0)
_length = np.sqrt((_average**2).sum())
check(clipped_gradient(_some, 2 * _length), _average, atol=1e-12, what="a gradient within the limit")
check(np.array(_some), np.array(_before), what="the caller's gradients, which must not change")
check(clipped_gradient(_some, _length / 3), _average / 3, atol=1e-12, what="a gradient three times over the limit")
check(clipped_gradient([np.zeros(3)] * 2, 1.0), [0.0, 0.0, 0.0], what="a gradient of zeros")
_single = [np.array([3.0, 4.0])]
for _limit, _clipped in ((1.0, [0.6, 0.8]), (4.5, [2.7, 3.6]), (10.0, [3.0, 4.0])):
    check(clipped_gradient(_single, _limit), _clipped, what=f"a single micro-batch, norm 5, limit {_limit}")
    check(_single[0], [3.0, 4.0], what="the caller's gradient, which must not change")
### END HIDDEN TESTS

# %% [markdown]
r"""
**BatchNorm** normalises each example by the mean and variance *of its micro-batch*, so examples are not independent
of their neighbours. **LayerNorm** and RMSNorm normalise each token by itself and are safe. **Dropout** draws random
masks. The cell measures how far the accumulated gradient is from that of the big batch, relative to its norm, with 32
examples in 1, 4 and 16 micro-batches.
"""

# %%
inputs, targets = torch.randn(32, 10), torch.randn(32, 1)


def distance(model, accumulation_steps):
    """Return |accumulated gradient - gradient of the big batch| / |gradient of the big batch|."""
    flat = []
    for pieces in (1, accumulation_steps):
        set_gradient(model, list(zip(inputs.chunk(pieces), targets.chunk(pieces), strict=True)))
        flat.append(torch.cat([parameter.grad.flatten() for parameter in model.parameters()]))
    return float((flat[1] - flat[0]).norm() / flat[0].norm())


print("                K = 1      K = 4     K = 16")
for layer in (nn.LayerNorm(16), nn.BatchNorm1d(16), nn.Dropout(0.1)):
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(10, 16), layer, nn.Tanh(), nn.Linear(16, 1))
    distances = "   ".join(f"{distance(model, pieces):8.1e}" for pieces in (1, 4, 16))
    print(f"{type(layer).__name__:12s} {distances}")

# %% [markdown]
r"""
**What you see.** LayerNorm agrees to rounding. BatchNorm with smaller micro-batches is another function, and its
gradient another gradient. So for a network with BatchNorm, a smaller micro-batch is a change of the model, even at
the same global batch. Dropout differs already with a single micro-batch, because each pass draws new masks, and its
three numbers differ from each other by the luck of these: the next cell averages over 50 seeds. The gradients have
the same distribution and are not the same numbers.
"""

# %%
for pieces in (1, 4, 16):
    distances = []
    for seed in range(50):
        torch.manual_seed(seed)
        model = nn.Sequential(nn.Linear(10, 16), nn.Dropout(0.1), nn.Tanh(), nn.Linear(16, 1))
        distances.append(distance(model, pieces))
    print(f"Dropout, K = {pieces:2d}: {np.mean(distances):.2f} ± {np.std(distances) / 50**0.5:.2f}")

# %% [markdown]
r"""

**Losses that couple examples** break step 1 of the proof, for the loss is no mean over examples. In a contrastive
loss every other example of the batch serves as a wrong answer. The same eight pairs, at once and as two micro-batches
of four:
"""

# %%
images, texts = torch.randn(8, 5), torch.randn(8, 5)


def contrastive_loss(images, texts):
    """Return the mean loss of picking, for each image, its own text out of all texts of the batch (nats)."""
    return nn.functional.cross_entropy(images @ texts.T, torch.arange(len(images)))


halves = [contrastive_loss(*half) for half in zip(images.chunk(2), texts.chunk(2), strict=True)]
print(
    f"eight at once {contrastive_loss(images, texts):.2f} nats, mean over two micro-batches {sum(halves) / 2:.2f} nats"
)

# %% [markdown]
r"""
**What you see.** With fewer wrong answers to choose from, the task is easier.

A *mixture of experts* is another case. Such a network has several alternative layers, the experts, and a router that
sends each token to one of them. To keep all experts busy, an extra loss multiplies two averages over the batch: the
share of tokens that an expert got, and the mean probability that the router gave it. A product of averages is not the
average of the products. One expert, two micro-batches; it gets no token of the first, where its mean probability is
0.1, and all of the second, where it is 0.9:
"""

# %%
share, probability = np.array([0.0, 1.0]), np.array([0.1, 0.9])
print(
    f"over the big batch {share.mean() * probability.mean():.2f}, "
    f"mean over the micro-batches {np.mean(share * probability):.2f}"
)

# %% [markdown]
r"""
**Low-precision sums.** The 16-bit format bfloat16 keeps 8 significant bits. Adding 1 to 256 would need a ninth, so
the sum sticks:
"""

# %%
total = torch.zeros((), dtype=torch.bfloat16)
for _ in range(1024):
    total += torch.ones((), dtype=torch.bfloat16)
print("1024 ones, added up in bfloat16:", total.item())

# %% [markdown]
r"""
**What you see.** Three quarters of the sum are lost, silently. Accumulate gradients in 32 bits, which takes 4 bytes a
parameter instead of 2.

**The last step of an epoch.** If an epoch has 10 micro-batches and $K = 4$, the last step has only 2. Divided by 4,
its gradient would be half as long as it should be. Divide by the number that the step really has; your `train_step`
does.

## 2.7 What does accumulation save?

Training keeps in memory: parameters, gradients, optimizer state, and the *activations*, whatever the forward pass
leaves behind for the backward pass. Only the activations depend on how many examples are run at once, and they are
freed by each `backward()`.

PyTorch can call a hook with every tensor that it saves for the backward pass. `saved_bytes` adds up the memory behind
these tensors, parameters left out. A small transformer, two layers:
"""

# %%
num_layers, width, heads, length = 2, 64, 4, 32
model = blocks(num_layers, width, heads, length)
print(f"parameters: {sum(p.numel() * p.element_size() for p in model.parameters()):,} bytes")
for micro_batch in (1, 2, 4, 8):
    print(
        f"micro-batch {micro_batch}: {saved_bytes(model, torch.randn(micro_batch, length, width)):,} bytes of activations"
    )

# %% [markdown]
r"""
**What you see.** Exactly proportional to the micro-batch; one sequence already takes three quarters of what all
parameters take, two take half as much again as all of them.

Where does the number come from? A matrix product keeps its inputs, a layer norm keeps its input and two numbers a
token, softmax keeps its output, an addition keeps nothing.

| symbol | in code | meaning | unit |
|---|---|---|---|
| $b$ | `micro_batch` | sequences that are run at once | sequences |
| $s$ | `length` | tokens in a sequence | tokens |
| $h$ | `width` | numbers that represent a token | – |
| $a$ | `heads` | attention heads | – |

| part of a layer (`largebatch.transformer`) | kept for the backward pass | numbers |
|---|---|---|
| layer norm (twice) | its input | $2\,sbh$ |
| | mean and scale of each token | $2 \cdot 2\,sb$ |
| projections to queries, keys, values | their one shared input | $sbh$ |
| scores, queries × keys | both | $2\,sbh$ |
| softmax | its output, one number for each pair of tokens and head | $a\,b\,s^2$ |
| weighted sum of the values | the values (the softmax output is there already) | $sbh$ |
| output projection | its input | $sbh$ |
| MLP, first matrix | its input | $sbh$ |
| MLP, GELU | its input, four times as wide | $4\,sbh$ |
| MLP, second matrix | its input, four times as wide | $4\,sbh$ |
| **sum** | | $16\,sbh + a b s^2 + 4\,sb$ |
"""

# %%
for micro_batch in (1, 2, 4, 8):
    numbers = 16 * length * micro_batch * width + heads * micro_batch * length**2 + 4 * length * micro_batch
    counted = saved_bytes(model, torch.randn(micro_batch, length, width))
    print(
        f"micro-batch {micro_batch}: counted {counted:,}, by the formula {num_layers * numbers * 8:,}"
    )  # 8 bytes a number

# %% [markdown]
r"""
**What you see.** Equal to the byte. With 16-bit numbers the sum is $sbh\,(32 + 2as/h)$ bytes and a little.
Korthikanti et al. 2022 give $sbh\,(34 + 5as/h)$ for a layer; the difference is dropout, which our layer does not
have: masks of 1 byte, and the softmax output kept once more behind it.

At scale: a model of 7 billion parameters, trained with Adam in mixed precision, holds 16 bytes a parameter whatever
the batch (2 for the 16-bit weights, 2 for their gradients, 12 for 32-bit weights and Adam's two averages; Rajbhandari
et al. 2020): 112 GB. With gradients accumulated in 32 bits, as section 2.6 advises, it is 18 bytes, or 126 GB; we
keep the usual 16, so that both sides of the comparison hold the same. Korthikanti's formula gives its activations,
without tricks, for a sequence of 2048 tokens:
"""

# %%
num_layers, width, heads, length = 32, 4096, 32, 2048
gigabytes = num_layers * length * width * (34 + 5 * heads * length / width) / 1e9
print(f"activations: {gigabytes:.1f} GB a sequence")

# %%
micro_batches = 2 ** np.arange(7)
fig, axes = plt.subplots()
axes.bar(np.arange(7), 112, label="parameters, gradients, optimizer state")
bars = axes.bar(np.arange(7), micro_batches * gigabytes, bottom=112, label="activations")
axes.bar_label(bars, [f"{112 + micro_batch * gigabytes:.0f}" for micro_batch in micro_batches])
axes.set_xticks(np.arange(7), micro_batches)
axes.set(xlabel="64 sequences, so many at a time", ylabel="memory (GB)")
_ = axes.legend(loc="upper left")

# %% [markdown]
r"""
**What you see.** Running 64 sequences one at a time takes 64 times less memory *for activations*, but by far not 64
times less in total. The rest is untouched by accumulation, and even one sequence at a time does not fit on an 80 GB
GPU. What to do about that is the subject of lesson 08.

Nor is accumulation a way to train faster: the $K$ micro-batches run one after the other. As long as a micro-batch is
large enough to keep the GPU busy, the time for each example stays about the same, and an optimizer step takes $K$
times as long as one micro-batch.

## Exercise 2.6: `memory_saving` (2 points, 5 minutes, core)

Return by what factor accumulation lowers the memory of a step.

- `fixed_bytes`: parameters, gradients and optimizer state, the same with accumulation and without
- `bytes_per_sequence`: activations of one sequence
- `global_batch`, `micro_batch`: sequences in the step, and at a time; `micro_batch` divides `global_batch`
- returns (memory of the whole batch at once) / (memory with accumulation), at least 1

<details><summary>Hint 1 (click to open): what is in both memories?</summary>

The fixed bytes, once each.
</details>

<details><summary>Hint 2 (click to open): how many activations are alive at the same time with accumulation?</summary>

Those of one micro-batch.
</details>
"""


# %% solution="memory_saving"
def memory_saving(fixed_bytes, bytes_per_sequence, global_batch, micro_batch):
    """Return how many times less memory a step takes with accumulation than with the whole batch at once."""
    ### BEGIN SOLUTION
    return (fixed_bytes + global_batch * bytes_per_sequence) / (fixed_bytes + micro_batch * bytes_per_sequence)
    ### END SOLUTION


# %% tests="memory_saving_by_hand" points=1
# 7 billion parameters: 112 GB fixed, 30.6 GB a sequence, 64 sequences, 4 at a time.
_whole, _accumulated = 112 + 64 * 30.6, 112 + 4 * 30.6
check(
    memory_saving(112e9, 30.6e9, 64, 4),
    _whole / _accumulated,
    what="factor",
    mistakes={
        "only the activations shrink by the number of micro-batches; the rest stays": 16.0,
        "this is the inverse: memory with accumulation over memory without": _accumulated / _whole,
        "a micro-batch has 4 sequences here, not one": _whole / (112 + 30.6),
        "4 sequences are in memory at a time, not as many as there are micro-batches": _whole / (112 + 16 * 30.6),
        "with accumulation, activations of one micro-batch are still there": _whole / 112,
        "the fixed bytes are there without accumulation too": 64 * 30.6 / _accumulated,
        "the fixed bytes are there with accumulation too": _whole / (4 * 30.6),
        "this is the share that is saved; asked for is the ratio whole / accumulated": 1 - _accumulated / _whole,
    },
)

# %% tests="memory_saving_limits" points=1
# Checked when you are graded: nothing is saved without accumulation or without activations; K is
# saved where nothing is fixed.
### BEGIN HIDDEN TESTS
check(memory_saving(112e9, 30.6e9, 64, 1), _whole / (112 + 30.6), what="one sequence at a time")
check(memory_saving(5.0, 3.0, 16, 16), 1.0, what="no accumulation")
check(memory_saving(5.0, 1e-9, 16, 2), 1.0, what="next to no activations")
check(memory_saving(1e-9, 3.0, 16, 2), 8.0, what="next to nothing fixed")
check(memory_saving(100.0, 10.0, 12, 4), 220 / 140, what="100 bytes fixed, 10 a sequence, 12 sequences, 4 at a time")
### END HIDDEN TESTS

# %% [markdown]
r"""
## Exercise 2.7: `quiz_accumulation` (1 point, 4 minutes, core)

Which of these statements hold? Micro-batches are equally large and each loss is divided by $K$, unless a statement
says otherwise. Answer with a set of letters.

- **A** The purpose of accumulation is to let one optimizer step average over more examples than fit in memory at
  once.
- **B** In a network with LayerNorm or RMSNorm, the accumulated gradient differs from that of the big batch.
- **C** In a network with BatchNorm, while training, it differs.
- **D** Forgetting to divide by $K$ makes Adam's steps $K$ times too long.
- **E** Accumulating over 8 micro-batches lets a step run in an eighth of the memory.
- **F** A load-balancing loss of a mixture of experts, averaged over micro-batches, equals that of the big batch.
- **G** Clipping each micro-batch and then averaging can give another step than clipping the average.
- **H** If micro-batches hold different numbers of tokens, dividing each mean loss by $K$ gives the mean over all
  tokens.
"""

# %% solution="quiz_accumulation"
### BEGIN SOLUTION answer_quiz_accumulation = set()  # for example {"A", "B"}
answer_quiz_accumulation = {"A", "C", "G"}
### END SOLUTION

# %% tests="quiz_accumulation_choice" points=1
# The verdict on each of your letters, with the reason.
check_choice("quiz_accumulation", answer_quiz_accumulation)

# %% [markdown]
r"""
## Recap

* The mean of the gradients of $K$ equal micro-batches is the gradient of the big batch, and any optimizer that sees
  only it makes the same step.
* `backward()` adds: divide each loss by $K$, clear before, step after, log the whole.
* With unequal micro-batches or ranks, divide a *sum* of losses by the tokens of the whole step; where ranks are
  averaged, multiply by their number.
* BatchNorm, dropout, coupled losses, clipping inside the loop and low-precision sums break the equality; LayerNorm
  does not.
* Of memory, accumulation saves the activations and nothing else.

**Where this breaks.** "Equal" means equal up to rounding, which chaotic training amplifies: two correct runs drift
apart in the last digits and later visibly. That accumulation *can* imitate a large batch does not mean that you
should want one: on a single GPU a small batch learns as much or more with the same computation, if Adam's decay rates
are adapted to it (Marek et al. 2025), and how large a batch pays is the question of lessons 05 and 06.

**Sources.** transformers #24725, #34191, #34198, #34373, trl #2175 and accelerate #3193 (token-weighted loss);
PyTorch documentation of `DistributedDataParallel`; Goyal et al. 2017 (arXiv 1706.02677), section 2.3 on BatchNorm,
and section 3, remark 3, on normalising by the examples of all workers; Rajbhandari et al. 2020 (1910.02054), section
3; Korthikanti et al. 2022 (2205.05198), section 4; Qiu et al. 2025 (2501.11873) on balancing losses; Marek et al.
2025 (2507.07101).
"""
