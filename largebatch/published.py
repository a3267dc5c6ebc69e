"""Four published runs as briefs, to compare what the planner would choose with what was chosen.

A brief holds what was given before the run: model, data, deadline, kind of GPU. Three things that the papers do not publish are assumed alike
for all: the utilisation where nothing waits, the critical batch size from the data (a fit to small models), and a known run, GPT-3 13B.
"""

from largebatch.brief import Brief, Cluster, Known, Limits, Model
from largebatch.compute_law import batch_at_twenty_percent
from largebatch.data import table

UTILISATION = 0.4
KNOWN = Known("adamw", batch=2e6, learning_rate=1e-4)  # GPT-3 13B: Brown et al. 2020 (arXiv 2005.14165), table 2.1


def brief_of(run: dict) -> Brief:
    """Return the brief behind a row of data/published_runs.csv; the plan may take up to four times as many GPUs as the run did.

    The goal is what the run reached, so the tokens that small batches would have needed are fewer than it saw.
    """
    critical = 5 * batch_at_twenty_percent(run["tokens"])  # where tokens double, not where they grow by a fifth
    shape = [int(run[name]) for name in ("num_layers", "width", "heads", "vocabulary", "sequence_length")]
    num_gpus, per_node = int(run["num_gpus"]), int(run["gpus_per_node"])
    return Brief(
        Model(run["num_params"], *shape),
        tokens=run["tokens"] / (1 + run["batch"] / critical),
        noise_scale=critical,
        known=KNOWN,
        cluster=Cluster(
            4 * num_gpus, per_node, run["memory"], run["peak"], UTILISATION, run["bandwidth"], latency=1e-5, price=2.5
        ),
        limits=Limits(days=days_of(run)),
    )


def days_of(run: dict) -> float:
    """Return how long the run took."""
    return run["gpu_hours"] / run["num_gpus"] / 24


def runs() -> list[dict]:
    """Return the rows of data/published_runs.csv."""
    return table("published_runs")
