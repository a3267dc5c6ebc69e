# %% [markdown]
r"""
# 00 · How does this course work?

Ten minutes to see the whole cycle once: run, predict, answer, check, get help, be graded. The example is the fact on
which the course stands: *averaging more examples gives a steadier gradient, but not in proportion*.

**You will** run code, predict before you look, write an answer, read a verdict on it, open a hint, and find the
solutions.

**You need** a little Python and NumPy: arrays, functions, `mean`.

**Minutes** 10

**Points** 3
"""

# %%
import numpy as np

from largebatch import demos
from largebatch.check import check
from largebatch.quiz import check_choice

# %% [markdown]
r"""
## 0.1 Run

Click into a cell and press **Shift + Enter**: it runs, and the next one is selected. Cells are meant to be run from
top to bottom; *Run → Run All Cells* does it in one go, and also gets past exercises that you have not answered.

When a model is trained, each example says in which direction and how far a weight should move. That is its
*gradient*, and no two examples quite agree. Here are the gradients of eight examples for one single weight. The true
value, over all the examples in the world, is 1; the examples scatter around it with a standard deviation of 4.
"""

# %%
rng = np.random.default_rng(0)
true_value, spread = 1.0, 4.0
gradients = true_value + spread * rng.standard_normal(8)
print("eight examples:", gradients.round(1))
print("their average: ", gradients.mean().round(2))

# %% [markdown]
r"""
One of the eight even points the wrong way. Their average is off as well, by more than 1, and another eight would give
another average. Training averages over a *batch* of examples and then moves the weights once, which is called a
*step*; so how far off is the average of a batch, as a rule?

## 0.2 Predict, then look

Every demo asks for a prediction before it shows anything. A wrong prediction costs nothing and makes the answer
stick. Choose one, then move the sliders: with the mouse, or with Tab and the arrow keys.
"""

# %%
demos.averaging()

# %% [markdown]
r"""
**You should have seen** the histogram narrow quickly at first and then ever more slowly, and widen in proportion to
the spread of the examples. (The examples of the demo are lopsided on purpose: nothing here needs a bell curve.)

Here is the same as a table, with examples that do follow a bell curve and 10 000 batches of each size.

| symbol | in code | meaning | unit |
|---|---|---|---|
| $B$ | `batch_size` | examples averaged for one step | examples |
| $\sigma$ | `spread` | standard deviation of the gradient of one example | that of the gradient |
"""

# %%
print("batch size   scatter of the average")
for batch_size in (1, 4, 16, 64):
    averages = true_value + spread * rng.standard_normal((10_000, batch_size)).mean(axis=1)
    print(f"{batch_size:10d}   {averages.std():.3f}")

# %% [markdown]
r"""
**What you see.** Each time the batch grows fourfold, the scatter halves. Four times the work for half the noise: that
bargain comes back in every lesson.

**Why.** Let $g_1, \dots, g_B$ be the gradients of independent examples, each with variance $\sigma^2$. Variances of
independent numbers add up, and a factor $1/B$ in front of a number puts $1/B^2$ in front of its variance:

$$
\operatorname{Var}\Big(\frac1B\sum_{i=1}^{B} g_i\Big)
= \frac{1}{B^2}\sum_{i=1}^{B}\operatorname{Var}(g_i)
= \frac{1}{B^2}\,B\,\sigma^2
= \frac{\sigma^2}{B} .
$$

That is the variance, in squared units. The scatter in the table is its square root.

## 0.3 Answer

An exercise is a function for you to write. Its heading says what it is worth, how long it takes, and how hard it is:
*warm-up*, *core* or *challenge*. Replace the line `raise NotImplementedError("your turn")`, run the cell, then run
the checks below it.

## Exercise 0.1: `spread_of_mean` (2 points, 3 minutes, warm-up)

Return how much the average over a batch scatters.

- `spread`: standard deviation $\sigma$ of the gradient of one example
- `batch_size`: number $B$ of independent examples that are averaged
- returns the standard deviation of the average; for a spread of 6 and 9 examples, 2.0

<details><summary>Hint 1 (click to open): which formula?</summary>

The derivation above ends with the variance of the average. You are asked for its standard deviation.
</details>

<details><summary>Hint 2 (click to open): in code?</summary>

A square root is `x ** 0.5` or `np.sqrt(x)`.
</details>
"""


# %% solution="spread_of_mean"
def spread_of_mean(spread, batch_size):
    """Return the standard deviation of the average over `batch_size` independent examples."""
    ### BEGIN SOLUTION
    return spread / batch_size**0.5
    ### END SOLUTION


# %% tests="spread_of_mean_by_hand" points=1
# Nine examples with a spread of 6: a check that you can read. Change your answer to something
# wrong once, to see what it says.
check(
    spread_of_mean(6.0, 9),
    2.0,
    mistakes={
        "you divided by the number of examples: that is how the variance of an average falls": 6 / 9,
        "this is the variance of the average; the standard deviation is its square root": 4.0,
        "this is the spread of one example: an average scatters less": 6.0,
        "you multiplied by the square root: averaging makes the scatter smaller": 18.0,
        "the root belongs to the number of examples only: the spread is a standard deviation already": (6 / 9) ** 0.5,
        "divide by the root of the number of examples, not of one less": 6 / 8**0.5,
    },
)

# %% tests="spread_of_mean_any_batch" points=1
# Checked when you are graded: other spreads and batch sizes, and a batch of one.
### BEGIN HIDDEN TESTS
for _sigma, _examples in ((6.0, 1), (0.5, 100), (3.0, 7)):
    _measured = spread_of_mean(_sigma, _examples)
    check(_measured, np.sqrt(_sigma**2 / _examples), what=f"spread {_sigma:g}, batch of {_examples}")
### END HIDDEN TESTS

# %% [markdown]
r"""
## 0.4 Check

The first check above is *visible*: it passes or fails at once and, if it can, names the mistake. The second is
*hidden*: you see what it is about, but not how it tests. It runs when you are graded, so that an answer that merely
returns `2.0` does not pass for the real one.

Three ways to know where you stand:

1. **Run the check cell.** Instant, visible checks only.
2. **Validate**, the button above the notebook: runs the whole notebook afresh, top to bottom. It finds answers that
   work only because of a cell you have since changed or deleted. Save first; visible checks only.
3. **`make check LESSON=00_start_here`** in a terminal (*File → New → Terminal*): grades your copy as a class would be
   graded, hidden checks included. Without `make`: `python -m autograder.check 00_start_here`.

Answers are graded by what they return, never by how they are written.

<details><summary>In a class (click to open): how do I hand in?</summary>

Menu *Nbgrader → Assignment List → Submit*. You may submit again until the deadline.
</details>

## Exercise 0.2: `quiz_validate` (1 point, 1 minute, warm-up)

Some questions are answered with a letter. You press *Validate* and it says *Success! Your notebook passes all the
tests.* What do you know?

- **A** Full marks are certain.
- **B** The visible checks pass on a fresh run; a hidden one may still fail.
- **C** Your answers are the same as in the solutions.
"""

# %% solution="quiz_validate"
### BEGIN SOLUTION answer_quiz_validate = "?"  # write your letter between the quotes
answer_quiz_validate = "B"
### END SOLUTION

# %% tests="quiz_validate_choice" points=1
# The verdict on your choice, with the reason.
check_choice("quiz_validate", answer_quiz_validate)

# %% [markdown]
r"""
## 0.5 When you are stuck

Open the hints; they go from the idea to the code. You can always go on: no later cell needs your answer to an earlier
exercise. When you have tried, compare with the solution: `solutions/00_start_here/00_start_here.ipynb` in the course
folder holds this notebook with every answer and every hidden check. You work on your own copy in `work/`, which no
update ever overwrites.

## Recap

You ran code, predicted, answered, read a verdict, and know where hints, checks and solutions are. You also know that
an average over $B$ independent examples scatters by $\sigma/\sqrt B$.

**Where this breaks.** The rule needs *independent* examples. Ten copies of one example are no steadier than one;
lesson 06 returns to that.

**Next:** `01_global_batch`, what one step means when you add GPUs.
"""
