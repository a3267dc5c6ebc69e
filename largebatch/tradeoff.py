"""Time against data: how long a run takes and what it costs on N GPUs, and which batch suits them.

A run to a goal takes S = S_min (1 + B_crit / B) steps and E = B·S = E_min (1 + B / B_crit) tokens at a batch of B (McCandlish et al. 2018, arXiv
1812.06162, section 2.3), where B_crit = E_min / S_min. A step takes c·B/N seconds of computation, c seconds for a token on one GPU, and t seconds
in which communication keeps all of them waiting. All functions take numbers or arrays, and raise ValueError where one is not positive.
"""

import numpy as np

from largebatch.scaling import require_positive


def tokens_needed(batch, min_tokens, critical_batch):
    """Return the tokens E that reach the goal; all three in one unit, which may be the example as well."""
    require_positive(batch=batch, min_tokens=min_tokens, critical_batch=critical_batch)
    return min_tokens * (1 + np.divide(batch, critical_batch))


def steps_needed(batch, min_tokens, critical_batch):
    """Return the steps S that reach the goal; not rounded."""
    return tokens_needed(batch, min_tokens, critical_batch) / batch


def run_seconds(num_gpus, batch, min_tokens, critical_batch, seconds_per_token, step_overhead):
    """Return the seconds of a run; not rounded to whole steps."""
    require_positive(num_gpus=num_gpus, seconds_per_token=seconds_per_token, step_overhead=step_overhead)
    return steps_needed(batch, min_tokens, critical_batch) * (seconds_per_token * batch / num_gpus + step_overhead)


def best_batch(num_gpus, critical_batch, seconds_per_token, step_overhead):
    """Return the batch with which a run on so many GPUs ends soonest: the root of N·B_crit·t/c (lesson 10)."""
    require_positive(
        num_gpus=num_gpus,
        critical_batch=critical_batch,
        seconds_per_token=seconds_per_token,
        step_overhead=step_overhead,
    )
    return np.sqrt(num_gpus * critical_batch * step_overhead / seconds_per_token)


def best_seconds(num_gpus, min_tokens, critical_batch, seconds_per_token, step_overhead):
    """Return the seconds of a run with the best batch: (√(c·E_min/N) + √(t·S_min))²; never below t·S_min."""
    require_positive(min_tokens=min_tokens)
    best_batch(num_gpus, critical_batch, seconds_per_token, step_overhead)  # refuses what is not positive
    computing, waiting = seconds_per_token * min_tokens / num_gpus, step_overhead * min_tokens / critical_batch
    return (np.sqrt(computing) + np.sqrt(waiting)) ** 2


def balanced_gpus(critical_batch, seconds_per_token, step_overhead):
    """Return the number of GPUs whose best batch is B_crit: there a run takes four times its shortest time and costs four times its least."""
    require_positive(critical_batch=critical_batch, seconds_per_token=seconds_per_token, step_overhead=step_overhead)
    return critical_batch * seconds_per_token / step_overhead
