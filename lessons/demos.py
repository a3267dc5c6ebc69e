# %% [markdown]
r"""
# The demos of the course

Each demo asks for a prediction and then uncovers its instrument; a wrong prediction costs nothing. Move the sliders
with the mouse, or go from one to the next with Tab and move them with the arrow keys. The text under a picture says
what it shows. The derivations, and exercises that are checked at once, are in the lesson to which a heading leads.
(In JupyterLab, first choose *Run → Run All Cells*.)

<script>
// Only Voilà runs this. Beside JupyterLab, as on Binder, a lesson opens there; alone, Voilà has nothing to open it with.
document.addEventListener("DOMContentLoaded", () => {
    for (const link of document.querySelectorAll('a[href^="../"]')) {
        const lesson = link.href.replace("/voila/render/", "/lab/tree/")
        if (lesson === link.href) link.removeAttribute("href")
        else link.href = lesson
    }
})
</script>
"""

# %%
from largebatch import demos

# %% [markdown]
r"""
## 00 · [How does this course work?](../00_start_here/00_start_here.ipynb)

The gradients of single examples scatter; their averages over a batch scatter less, but not in proportion. Find how
much larger the batch must be to halve the scatter.
"""

# %%
demos.averaging()

# %% [markdown]
r"""
## 01 · [What does one optimizer step mean when I add GPUs?](../01_global_batch/01_global_batch.ipynb)

Ranks, micro-batch and accumulation steps multiply to the global batch, and all three must be whole numbers. Keep the
batch, and set the ranks to 4, to 16 and to 6.
"""

# %%
demos.global_batch()

# %% [markdown]
r"""
## 02 · [Is accumulating K micro-batches really the big batch?](../02_gradient_accumulation/02_gradient_accumulation.ipynb)

When micro-batches hold different numbers of tokens, the mean of their means is not the mean over tokens. Set the
difference of the losses to 0, then to its other end: what becomes of the error?
"""

# %%
demos.ragged_micro_batches()

# %% [markdown]
r"""
## 03 · [By how much may the step grow?](../03_learning_rate_scaling/03_learning_rate_scaling.ipynb)

The linear rule, the square root and the best rate, against the batch size. Raise the noise scale until the linear
rule's step for the larger batch lowers the loss again.
"""

# %%
demos.learning_rate_rules()

# %% [markdown]
r"""
## 04 · [Why start slowly, and for how long?](../04_warmup/04_warmup.ipynb)

A warmup has a length in steps, in examples or in epochs, and takes its share of the run. Double the batch and watch
the share; then change the unit and double it again.
"""

# %%
demos.schedule()

# %% [markdown]
r"""
## 05 · [Where do more workers stop helping?](../05_the_knee/05_the_knee.ipynb)

SGD is run while you watch, at every batch size: first a coarse answer, after a moment a finer one. Try a harder
target, then labels tossed by a coin, and see in which direction the knee moves.
"""

# %%
demos.knee()

# %% [markdown]
r"""
## 06 · [Can I predict the knee from my own gradients?](../06_noise_scale/06_noise_scale.ipynb)

A meter estimates the noise scale from the gradients of one step after the other, here where the truth is known. Go
to where 3 % of the loss is left, and look for a setting with which the meter settles.
"""

# %%
demos.noise_scale_meter()

# %% [markdown]
r"""
## 07 · [Can an optimizer move the knee?](../07_large_batch_optimizers/07_large_batch_optimizers.ipynb)

Momentum and preconditioning in a model in which every number is exact. Compare what each of them does to the fewest
steps and to the fewest examples; then make the target easier.
"""

# %%
demos.quadratic_knee()

# %% [markdown]
r"""
## 08 · [What fits on one GPU, and what does sharding buy?](../08_memory_and_zero/08_memory_and_zero.ipynb)

Parameters, gradients, optimizer and activations on one rank, at each ZeRO stage. Take 70 billion parameters on GPUs
of 80 GB, and look for the number of ranks with which stage 2 fits, then stage 3.
"""

# %%
demos.memory_ledger()

# %% [markdown]
r"""
## 09 · [What really happens between the ranks?](../09_data_parallel/09_data_parallel.ipynb)

One optimizer step on a time axis: what is computed, what is sent, and who waits for whom. Go through the strategies,
then through the networks, and watch the share of waiting.
"""

# %%
demos.step_timeline()

# %% [markdown]
r"""
## 10 · [How many GPUs, what batch, what will it cost?](../10_sizing_a_training_run/10_sizing_a_training_run.ipynb)

The time of a run on more and more GPUs, with the best batch for each number: what the network waits for is a floor.
Make the network faster, then the critical batch larger, and watch the floor and the edge of the green area.
"""

# %%
demos.planner()
