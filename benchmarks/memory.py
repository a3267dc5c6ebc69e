"""Memory: what the formulas of largebatch.memory predict, what ranks really hold, and what published estimators say.

Model states are counted on real gloo ranks, activations with saved-tensor hooks. Where there is a GPU, the peak of a training step is measured too.

usage: python benchmarks/memory.py
"""

import os
import sys

if "gpu" not in sys.argv:
    os.environ["CUDA_VISIBLE_DEVICES"] = ""  # a process that forks ranks must not touch a GPU
os.environ["OMP_NUM_THREADS"] = "1"

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint
from tqdm import tqdm

from largebatch import ranks
from largebatch.activations import saved_bytes
from largebatch.memory import CONVENTIONS, ModelState, activation_bytes, held_bytes, model_state_bytes
from largebatch.transformer import Attention, Block, blocks

VOCABULARY, LENGTH = 250, 32
GOAL = 0.05  # error of activations; that of model states shall be 0


@dataclass(frozen=True)
class Model:
    """A transformer between an embedding and a matrix for the logits, which are one matrix where they are tied."""

    width: int
    heads: int
    num_layers: int
    tied: bool = False

    def build(self) -> nn.Sequential:
        embedding, head = nn.Embedding(VOCABULARY, self.width), nn.Linear(self.width, VOCABULARY, bias=False)
        if self.tied:
            head.weight = embedding.weight
        layers = blocks(self.num_layers, self.width, self.heads, LENGTH)
        return nn.Sequential(embedding, *layers, nn.LayerNorm(self.width), head)

    def __str__(self) -> str:
        return f"{self.num_layers} layers, width {self.width}{', tied' * self.tied}"


# -- model states ----------------------------------------------------------------------------------------------------------------


def ddp(model: nn.Module) -> tuple[nn.Module, torch.optim.Optimizer]:
    """Replicate everything."""
    model = DistributedDataParallel(model)
    return model, torch.optim.AdamW(model.parameters())


def zero_1(model: nn.Module) -> tuple[nn.Module, torch.optim.Optimizer]:
    """Shard the optimizer state, tensor by tensor."""
    model = DistributedDataParallel(model)
    return model, ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW)


def sharded(model: nn.Module, **options) -> tuple[nn.Module, torch.optim.Optimizer]:
    """Shard everything with FSDP2, layer by layer."""
    for part in model:
        if isinstance(part, Block):
            fully_shard(part, **options)
    fully_shard(model, **options)
    return model, torch.optim.AdamW(model.parameters())


def zero_2(model: nn.Module) -> tuple[nn.Module, torch.optim.Optimizer]:
    """Gather 16-bit parameters before the forward pass and keep them until the backward pass; all else is sharded, in 32 bits."""
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    return sharded(model, reshard_after_forward=False, mp_policy=policy)


def zero_3(model: nn.Module) -> tuple[nn.Module, torch.optim.Optimizer]:
    """Gather a layer's parameters just before they are needed, and drop them after."""
    return sharded(model, reshard_after_forward=True)


@dataclass(frozen=True)
class Strategy:
    """A library's way, and the stage and convention that describe it. padded: bytes a parameter, by part, that carry its padding."""

    zero_stage: int
    convention: str
    wrap: Callable
    padded: tuple[int, int, int] = (0, 0, 0)


STRATEGIES = {
    "DDP": Strategy(0, "fp32", ddp),
    "ZeRO-1: ZeroRedundancyOptimizer": Strategy(1, "fp32", zero_1),
    # The master copy is padded, m and v are not.
    "ZeRO-2: FSDP2 before backward": Strategy(2, "Megatron", zero_2, (2, 4, 4)),
    "ZeRO-3: FSDP2 at rest": Strategy(3, "fp32", zero_3, (4, 4, 0)),
}
EVEN, ODD, DEEP = Model(64, 4, 2), Model(63, 3, 2, tied=True), Model(96, 4, 4)
RUNS = [(EVEN, (1, 2, 4)), (ODD, (2, 4)), (DEEP, (4,))]


def worker(strategy: str, shape: Model) -> ModelState:
    """Train on this rank and return the bytes that it holds."""
    torch.manual_seed(0)
    model, optimizer = STRATEGIES[strategy].wrap(shape.build())
    tokens = torch.randint(VOCABULARY, (2, LENGTH))
    model(tokens).float().square().mean().backward()
    optimizer.step()
    if STRATEGIES[strategy].zero_stage != 2:
        return held_bytes(model, optimizer)
    # The next micro-batch: its backward pass needs the gathered parameters.
    loss = model(tokens).float().square().mean()
    held = held_bytes(model, optimizer)
    loss.backward()
    return held


def predicted(strategy: Strategy, shape: Model, num_ranks: int) -> tuple[ModelState, ModelState]:
    """Return bytes on a rank by the formula, and with what it leaves out: Adam's counters and padding."""
    with torch.device("meta"):
        tensors = list(shape.build().parameters())
    formula = model_state_bytes(
        sum(tensor.numel() for tensor in tensors), strategy.zero_stage, num_ranks, strategy.convention
    )
    whole = [strategy.zero_stage < 3, strategy.zero_stage < 2, strategy.zero_stage < 1]
    # fully_shard gives each rank the same number of rows of each tensor.
    more = sum(-len(tensor) % num_ranks * tensor[0].numel() for tensor in tensors)
    padding = [more * size / (1 if full else num_ranks) for size, full in zip(strategy.padded, whole, strict=True)]
    counters = 4 * len(tensors) / (num_ranks if strategy.zero_stage == 1 else 1)
    extra = (padding[0], padding[1], padding[2] + counters)
    return formula, ModelState(*(part + size for part, size in zip(formula, extra, strict=True)))


def compare_states() -> float:
    """Print the table of model states and return the largest relative error of any part."""
    print(
        "\n| strategy | model | ranks | formula | + counters, padding | held, mean rank | held / predicted | largest rank / mean |"
    )
    print("|---|---|---|---|---|---|---|---|")
    errors = []
    cases = [(name, shape, count) for shape, counts in RUNS for name in STRATEGIES for count in counts]
    for name, shape, num_ranks in tqdm(cases, disable=None, leave=False):
        formula, full = predicted(STRATEGIES[name], shape, num_ranks)
        held = ranks.run(worker, num_ranks, name, shape)
        mean = ModelState(*(sum(parts) / num_ranks for parts in zip(*held, strict=True)))
        errors += [abs(found / part - 1) for found, part in zip(mean, full, strict=True)]
        largest = max(state.total for state in held) / mean.total
        print(
            f"| {name} | {shape} | {num_ranks} | {formula.total:,.0f} | {full.total:,.0f} | {mean.total:,.0f} "
            f"| {mean.total / full.total:.6f} | {largest:.4f} |"
        )
    return max(errors)


# -- activations -----------------------------------------------------------------------------------------------------------------


class FlashAttention(Attention):
    """The same attention by PyTorch's fused function, which keeps no table of pairs of tokens."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        by_head = (batch, length, self.heads, width // self.heads)
        queries, keys, values = (
            project(x).view(by_head).transpose(1, 2) for project in (self.to_queries, self.to_keys, self.to_values)
        )
        mixed = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        return self.to_output(mixed.transpose(1, 2).reshape(batch, length, width))


class Recomputed(nn.Module):
    """A layer that keeps its input alone and is computed again in the backward pass."""

    def __init__(self, layer: nn.Module):
        super().__init__()
        self.layer = layer

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.layer, x, use_reentrant=False)


@dataclass(frozen=True)
class Layers:
    """Transformer layers and their input: sequences × length numbers of width each."""

    num_layers: int
    width: int
    heads: int
    length: int
    sequences: int
    dtype: torch.dtype

    def build(self, recompute: str) -> nn.Sequential:
        """Return the layers, so that they keep what `recompute` says."""
        model = blocks(self.num_layers, self.width, self.heads, self.length)
        if recompute == "selective":
            for block in model:
                block.attention = FlashAttention(self.width, self.heads, self.length)
        if recompute == "full":
            model = nn.Sequential(*map(Recomputed, model))
        return model.to(self.dtype)

    def predicted(self, recompute: str) -> tuple[float, float]:
        """Return bytes by the formula, and with what it leaves out: norms' means and scales, flash attention's sums."""
        size = self.dtype.itemsize
        sizes = self.sequences, self.length, self.width, self.heads
        formula = self.num_layers * activation_bytes(*sizes, recompute, dropout=False, bytes_per_number=size)
        tokens = self.num_layers * self.sequences * self.length
        extra = {"none": 4 * size, "selective": 4 * size + 4 * self.heads, "full": 0}[recompute]
        return formula, formula + tokens * extra

    def __str__(self) -> str:
        kind = str(self.dtype).removeprefix("torch.")
        return f"{self.num_layers} × width {self.width}, {self.heads} heads, {self.sequences} × {self.length} tokens, {kind}"


LAYERS = [
    Layers(2, 64, 4, 32, 8, torch.float32),
    Layers(2, 64, 8, 128, 2, torch.float32),
    Layers(1, 256, 4, 64, 4, torch.float32),
    Layers(4, 96, 3, 100, 3, torch.bfloat16),
]


def compare_activations() -> float:
    """Print the table of activations and return the largest relative error of the formula."""
    print("\n| layers | computed again | formula | + norms, flash's sums | counted | counted / formula |")
    print("|---|---|---|---|---|---|")
    errors = []
    for layers in LAYERS:
        for recompute in ("none", "selective", "full"):
            formula, full = layers.predicted(recompute)
            x = torch.randn(layers.sequences, layers.length, layers.width, dtype=layers.dtype, requires_grad=True)
            counted = saved_bytes(layers.build(recompute), x)
            errors.append(abs(counted / formula - 1))
            print(f"| {layers} | {recompute} | {formula:,.0f} | {full:,.0f} | {counted:,} | {counted / formula:.4f} |")
    return max(errors)


# -- published estimators --------------------------------------------------------------------------------------------------------


def estimates() -> Iterator[tuple[str, float, float]]:
    """Yield what, bytes by an estimator that is installed, and ours."""
    yield from deepspeed_estimates()
    yield from accelerate_estimates()
    yield from tracked_by_torch()


def deepspeed_estimates() -> Iterator[tuple[str, float, float]]:
    """DeepSpeed's estimators of model states."""
    try:
        from deepspeed.runtime.zero.stage3 import estimate_zero3_model_states_mem_needs as stage_3
        from deepspeed.runtime.zero.stage_1_and_2 import estimate_zero2_model_states_mem_needs as stage_2
    except ImportError:
        return
    for num_params, num_ranks in ((2_851_000_000, 8), (7_500_000_000, 64)):
        what = f"{num_params / 1e9:g}B on {num_ranks} ranks"
        _, found = stage_2(num_params, num_ranks, cpu_offload=False)
        yield f"DeepSpeed, stage 2, {what}", found, model_state_bytes(num_params, 2, num_ranks, "DeepSpeed").total
        _, found, _ = stage_3(num_params, 0, num_ranks, cpu_offload=False, cpu_offload_params=False)
        yield f"DeepSpeed, stage 3, {what}", found, model_state_bytes(num_params, 3, num_ranks, "DeepSpeed").total


def accelerate_estimates() -> Iterator[tuple[str, float, float]]:
    """What `accelerate estimate-memory` adds up from the size of the model in 32 bits."""
    try:
        from accelerate.commands.estimate import estimate_training_usage
    except ImportError:
        return
    for precision, convention in (("float32", "fp32"), ("bfloat16", "Megatron")):
        usage = estimate_training_usage(4 * 7_000_000_000, precision)
        found = usage["model"] + usage["gradients"] + usage["optimizer"]
        yield f"accelerate, {precision}, 7B on 1 rank", found, model_state_bytes(7e9, 0, 1, convention).total


def tracked_by_torch() -> Iterator[tuple[str, float, float]]:
    """What PyTorch's own tracker sees in one process."""
    try:
        from torch.distributed._tools.mem_tracker import MemTracker
    except ImportError:
        return
    model = EVEN.build()
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    tracker = MemTracker()
    tracker.track_external(model, optimizer)
    with tracker:
        model(torch.randint(VOCABULARY, (2, LENGTH))).square().mean().backward()
        optimizer.step()
        parts = tracker.get_tracker_snapshot("current")[torch.device("cpu")]
    found = sum(size for kind, size in parts.items() if getattr(kind, "name", "") in ("PARAM", "GRAD", "OPT"))
    _, full = predicted(STRATEGIES["DDP"], EVEN, 1)
    yield f"torch MemTracker, {EVEN}, 1 rank", found, full.total


def compare_estimates() -> None:
    """Print what the estimators that are installed say."""
    found = list(estimates())  # first, for importing an estimator can print a warning
    print("\n| estimator | its bytes | ours | its / ours |\n|---|---|---|---|")
    for what, theirs, ours in found:
        print(f"| {what} | {theirs:,.0f} | {ours:,.0f} | {theirs / ours:.4f} |")


# -- one GPU ---------------------------------------------------------------------------------------------------------------------


def measure_on_gpu() -> None:
    """Print model states and the peak of a step on one GPU; torchrun runs this in a process of its own."""
    device = ranks.join()
    print(f"\n{torch.cuda.get_device_name(device)}, PyTorch {torch.__version__}")
    print("\n| layers | computed again | states: formula | allocated | ratio | peak: formula | allocated | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    for layers in (Layers(8, 1024, 16, 1024, 4, torch.float32), Layers(8, 1024, 16, 1024, 8, torch.bfloat16)):
        for recompute in ("none", "selective", "full"):
            states, peak = step_on_gpu(layers, recompute, device)
            model = layers.build(recompute)
            fixed = 4 * sum(tensor.nbytes for tensor in model.parameters()) + sum(
                mask.nbytes for mask in model.buffers()
            )
            kept, _ = layers.predicted(recompute)
            if recompute == "full":  # the layer that is computed again is there as a whole
                kept += layers.predicted("none")[0] / layers.num_layers
            print(
                f"| {layers} | {recompute} | {fixed:,} | {states:,} | {states / fixed:.3f} "
                f"| {fixed + kept:,.0f} | {peak:,} | {peak / (fixed + kept):.3f} |"
            )
    ranks.leave()


def step_on_gpu(layers: Layers, recompute: str, device: torch.device) -> tuple[int, int]:
    """Return the bytes allocated after a step, its input not counted, and the most that the next step's passes need."""
    some = torch.ones(64, 64, device=device, dtype=layers.dtype)
    some @ some  # the library of matrix products allocates its workspace at the first one
    before = torch.cuda.memory_allocated(device)
    model = layers.build(recompute).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)  # the other ways allocate more during a step
    x = torch.randn(
        layers.sequences, layers.length, layers.width, dtype=layers.dtype, device=device, requires_grad=True
    )
    for number in range(2):
        model(x).float().square().mean().backward()
        if number == 0:
            optimizer.step()
            x.grad = None
            states = torch.cuda.memory_allocated(device) - before - x.nbytes
            torch.cuda.reset_peak_memory_stats(device)
    return states, torch.cuda.max_memory_allocated(device) - before


def main() -> None:
    torch.set_num_threads(1)
    print("bytes on one rank; conventions: " + ", ".join(f"{name} {each.total}" for name, each in CONVENTIONS.items()))
    state_error = compare_states()
    activation_error = compare_activations()
    compare_estimates()
    if ranks.num_gpus():
        ranks.torchrun(__file__, 1, "gpu")
    else:
        print("\nNo GPU here: the peak of a step was not measured.")
    print(
        f"\ngoal, states exact, activations within {GOAL:.0%}: {'yes' if state_error < 1e-12 and activation_error <= GOAL else 'NO'}"
    )
    print(f"RESULT max_state_error={state_error:.1e} max_activation_error={activation_error:.4f}")


if __name__ == "__main__":
    measure_on_gpu() if "gpu" in sys.argv else main()
