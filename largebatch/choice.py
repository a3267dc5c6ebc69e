"""A choice of GPUs, sharding, batch and rate for a training run, and everything that follows from it by the formulas of the lessons.

The batch (lesson 01), rules for the rate (03), warmup (04), data against time (05), memory (08), communication that computation does not
hide (09). What is not in these is not in a plan: tensor and pipeline parallelism, networks of two speeds, failures and restarts.
"""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

from largebatch import collectives
from largebatch.brief import LONGEST_WARMUP, Brief
from largebatch.compute_law import attention_share, recomputed_share, training_flops
from largebatch.memory import model_state_bytes, peak_activation_bytes
from largebatch.scaling import saturating, square_root
from largebatch.tradeoff import tokens_needed

GB, HOUR, DAY = 1e9, 3600, 86_400
BYTES = 2  # of a parameter or gradient that is sent
STRATEGIES = ("ddp no_sync", "zero1", "zero2", "zero3")  # by ZeRO stage
RATE_TOLERANCE = 0.1  # share of the larger one by which a rate may differ from that of the rule


@dataclass(frozen=True)
class Choice:
    """What one decides."""

    num_gpus: int
    zero_stage: int
    recompute: str  # "none", "selective" or "full"
    micro_batch: int  # sequences
    accumulation_steps: int
    learning_rate: float
    warmup_steps: int


@dataclass(frozen=True)
class Plan:
    """A choice, and what follows from it under a brief."""

    brief: Brief
    choice: Choice
    states: float  # GB of a GPU: model states, and layers gathered for a moment
    activations: float  # GB of a GPU, at their peak
    compute_seconds: float  # of a step
    exposed_seconds: float  # of a step, in which computation waits for communication

    @property
    def sequences(self) -> int:
        """The global batch."""
        return self.choice.num_gpus * self.choice.micro_batch * self.choice.accumulation_steps

    @property
    def batch(self) -> int:
        """The global batch in tokens."""
        return self.sequences * self.brief.model.sequence_length

    @property
    def memory(self) -> float:
        """GB of a GPU."""
        return self.states + self.activations

    @cached_property
    def num_steps(self) -> int:
        """Whole steps to the goal."""
        return math.ceil(tokens_needed(self.batch, self.brief.tokens, self.brief.noise_scale) / self.batch)

    @property
    def tokens(self) -> int:
        """Tokens that these steps see."""
        return self.num_steps * self.batch

    @property
    def step_seconds(self) -> float:
        """Length of a step."""
        return self.compute_seconds + self.exposed_seconds

    @property
    def days(self) -> float:
        """Length of the run."""
        return self.num_steps * self.step_seconds / DAY

    @property
    def gpu_hours(self) -> float:
        """Hours of all GPUs together."""
        return self.choice.num_gpus * self.num_steps * self.step_seconds / HOUR

    @property
    def dollars(self) -> float:
        """Price of the run."""
        return self.gpu_hours * self.brief.cluster.price

    @property
    def utilisation(self) -> float:
        """Model FLOPs utilisation: operations of the model, none twice, as a share of what the GPUs could do in that time."""
        flops = training_flops(self.brief.model.num_params, self.batch, attention(self.brief))
        return flops / (self.step_seconds * self.choice.num_gpus * self.brief.cluster.peak * 1e12)


def outcome(brief: Brief, choice: Choice) -> Plan:
    """Return the plan that a choice makes; ValueError where there is no such stage, recomputation or part of a step."""
    states, activations = memory(brief, choice.num_gpus, choice.zero_stage, choice.recompute, choice.micro_batch)
    computing, exposed = step_times(
        brief, choice.num_gpus, choice.zero_stage, choice.recompute, choice.micro_batch, choice.accumulation_steps
    )
    return Plan(brief, choice, states, activations, computing, exposed)


def memory(brief: Brief, num_gpus: int, zero_stage: int, recompute: str, micro_batch: int) -> tuple[float, float]:
    """Return GB of a GPU: model states in the convention of the ZeRO paper, and activations.

    At stage 3 two layers are there as a whole: the one at work, and the next, which is gathered ahead.
    """
    model = brief.model
    states = model_state_bytes(model.num_params, zero_stage, num_gpus).total
    if zero_stage == 3 and num_gpus > 1:
        states += BYTES * model.num_params * min(2 / model.num_layers, 1)
    activations = peak_activation_bytes(
        model.num_layers, micro_batch, model.sequence_length, model.width, model.heads, model.vocabulary, recompute
    )
    return states / GB, activations / GB


def attention(brief: Brief) -> float:
    """Return what attention adds to the operations of the parameters."""
    return attention_share(brief.model.sequence_length, brief.model.width)


def step_times(
    brief: Brief, num_gpus: int, zero_stage: int, recompute: str, micro_batch: int, accumulation_steps: int
) -> tuple[float, float]:
    """Return the seconds of a step's computation and those in which it waits, with communication behind computation where it can be.

    What is computed again is spread over both passes, though it belongs to the backward pass: collectives.timeline knows one ratio of the two.
    """
    model, cluster, share = brief.model, brief.cluster, attention(brief)
    operations = training_flops(model.num_params, micro_batch * model.sequence_length, share)
    operations *= 1 + recomputed_share(recompute, share)
    micro_seconds = operations / (cluster.utilisation * cluster.peak * 1e12)
    seconds = timeline_seconds(
        STRATEGIES[int(zero_stage)],
        model.num_layers,
        BYTES * model.num_params / model.num_layers,
        micro_seconds / 3 / model.num_layers,  # a forward pass is a third
        num_gpus,
        cluster.bandwidth * GB,
        cluster.latency,
        accumulation_steps,
    )
    computing = accumulation_steps * micro_seconds
    return computing, max(0.0, seconds - computing)


@lru_cache(maxsize=50_000)
def timeline_seconds(
    strategy, num_layers, layer_bytes, layer_seconds, num_gpus, bandwidth, latency, accumulation_steps
) -> float:
    """Return the length of a step; each micro-batch more takes as long as the second."""
    machine = strategy, num_layers, layer_bytes, layer_seconds, num_gpus, bandwidth, latency
    if accumulation_steps <= 2:
        return collectives.timeline(*machine, accumulation_steps).seconds
    one, two = timeline_seconds(*machine, 1), timeline_seconds(*machine, 2)
    return two + (accumulation_steps - 2) * (two - one)


def rate_for(brief: Brief, batch: float) -> float:
    """Return the learning rate for a batch in tokens: the root rule for Adam; for SGD the rule that saturates at the noise scale."""
    known = brief.known
    if known.optimizer == "sgd":
        return float(saturating(known.learning_rate, known.batch, batch, brief.noise_scale))
    return float(square_root(known.learning_rate, known.batch, batch))


def warmup_for(brief: Brief, batch: float) -> int:
    """Return the warmup in steps of a batch in tokens: as many tokens as the known run's."""
    return math.ceil(brief.known.warmup / batch)


# -- what stands against it -------------------------------------------------------------------------------------------------------


def objections(plan: Plan) -> dict[str, str]:
    """Return what stands against a plan: the name of each requirement that it does not meet → why, with numbers."""
    brief, choice = plan.brief, plan.choice
    cluster, limits = brief.cluster, brief.limits
    rate, linear = rate_for(brief, plan.batch), brief.known.learning_rate * plan.batch / brief.known.batch
    found = {
        "gpus": choice.num_gpus > cluster.num_gpus
        and f"{choice.num_gpus:,} GPUs are asked for, the cluster has {cluster.num_gpus:,}",
        "nodes": choice.num_gpus > cluster.gpus_per_node
        and choice.num_gpus % cluster.gpus_per_node
        and f"{choice.num_gpus:,} GPUs are not whole nodes of {cluster.gpus_per_node}",
        "memory": plan.memory > cluster.memory
        and f"a GPU would hold {plan.states:.1f} GB of model states and {plan.activations:.1f} GB of activations, and has {cluster.memory:g} GB",
        "ceiling": plan.batch > brief.noise_scale
        and f"the batch is {plan.batch:,} tokens, above the noise scale of {brief.noise_scale:,.0f}: more than half of its tokens buy no progress",
        "days": plan.days > limits.days and f"the run takes {plan.days:.1f} days, the limit is {limits.days:g}",
        "dollars": plan.dollars > limits.dollars
        and f"the run costs ${plan.dollars:,.0f}, the limit is ${limits.dollars:,.0f}",
        "tokens": plan.tokens > limits.tokens
        and f"the run needs {plan.tokens / 1e9:,.1f} billion tokens at this batch, there are {limits.tokens / 1e9:,.1f}",
        "rate": not math.isclose(choice.learning_rate, rate, rel_tol=RATE_TOLERANCE)
        and rate_objection(brief, choice.learning_rate, rate, linear),
        "warmup": warmup_objection(plan),
    }
    return {name: reason for name, reason in found.items() if reason}


def rate_objection(brief: Brief, rate: float, right: float, linear: float) -> str:
    """Return why a learning rate is not the one for the batch."""
    rule = "the root rule" if brief.known.optimizer == "adamw" else "the rule that saturates at the noise scale"
    guess = ""
    if math.isclose(rate, brief.known.learning_rate, rel_tol=0.02):
        guess = "; this is the known run's, for another batch"
    elif math.isclose(rate, linear, rel_tol=0.02):
        guess = "; this is the linear rule's"
    return f"the rate is {rate:.3g}, {rule} gives {right:.3g} for {brief.known.optimizer}{guess}"


def warmup_objection(plan: Plan) -> str:
    """Return why a warmup is too short or too long; empty where it is neither."""
    steps, known = plan.choice.warmup_steps, plan.brief.known
    warmed = steps * plan.batch
    if steps % 1:
        return f"{steps:g} steps of warmup are not whole steps"
    if not warmed >= 0.99 * known.warmup:
        return f"{steps:,} steps of warmup are {warmed:,} tokens; the run that is known to work has {known.warmup:,.0f}"
    if steps > LONGEST_WARMUP * plan.num_steps:
        return f"{steps:,} steps of warmup are {steps / plan.num_steps:.0%} of the run"
    return ""
