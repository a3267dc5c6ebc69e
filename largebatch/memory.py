"""The memory of one rank in bytes: model states by ZeRO stage, activations by recomputation, and what a rank really holds.

Model states are parameters, gradients and optimizer state. The 32-bit copy of 16-bit parameters that an optimizer updates (the master copy)
belongs to the optimizer. How many bytes a parameter costs depends on who counts: CONVENTIONS. GB = 1e9 bytes.
"""

import math
from typing import NamedTuple


class Convention(NamedTuple):
    """Bytes for each parameter of the model, and who counts so."""

    parameters: int
    gradients: int
    optimizer: int
    source: str

    @property
    def total(self) -> int:
        """Bytes a parameter."""
        return self.parameters + self.gradients + self.optimizer


class ModelState(NamedTuple):
    """Bytes on one rank."""

    parameters: float
    gradients: float
    optimizer: float

    @property
    def total(self) -> float:
        """Bytes of all three."""
        return self.parameters + self.gradients + self.optimizer


CONVENTIONS = {
    "ZeRO paper": Convention(
        2, 2, 12,
        "16-bit parameters and gradients; 32-bit copy, m and v. Rajbhandari et al. 2020 (arXiv 1910.02054), section 3.1",
    ),
    "fp32": Convention(
        4, 4, 8,
        "all in 32 bits, no copy needed. torch.optim.AdamW; accelerate estimate-memory; Megatron Core's table for fp32",
    ),
    "Megatron": Convention(  # 6 + 12/d on d ranks at stage 1
        2, 4, 12,
        "gradients are accumulated in 32 bits. Megatron Core's table for bf16; accelerate's sum for bf16",
    ),
    "DeepSpeed": Convention(  # 2 + 18/N at stage 2, since #5099; its estimator of stage 3 has 18/N. Megatron: 4 + 16/d at stage 1
        2, 2, 16,
        "a 32-bit copy of the gradients, too. DeepSpeed's estimator of stage 2; Megatron Core's table for fp16",
    ),
    "bf16 moments": Convention(  # DeepSeek-V3, had it 16-bit working parameters throughout
        2, 4, 8,
        "as Megatron, with m and v in 16 bits. The formats of DeepSeek-V3 (arXiv 2412.19437, section 3.3.3)",
    ),
    "bf16 + Kahan": Convention(  # optimi counts 2 more for an accumulation buffer
        2, 2, 6,
        "16 bits, and 16 more for what rounding cut off. Zamirai et al. 2020 (arXiv 2010.06192); AnyPrecisionAdamW; optimi",
    ),
    "pure bf16": Convention(
        2, 2, 4,
        "all in 16 bits, so that small updates are rounded away. torch.optim.AdamW on a bfloat16 model",
    ),
}  # fmt: skip

FIRST_SHARDED = ModelState(parameters=3, gradients=2, optimizer=1)  # the ZeRO stage from which on a part is sharded


def model_state_bytes(num_params: float, zero_stage: int, num_ranks: int, convention: str = "ZeRO paper") -> ModelState:
    """Return the bytes of model states on one rank (Rajbhandari et al. 2020, arXiv 1910.02054, section 5 and table 1).

    zero_stage : 0 nothing is sharded, 1 the optimizer state, 2 the gradients too, 3 the parameters too
    num_ranks  : data-parallel ranks, those that share one copy
    convention : a key of CONVENTIONS

    A rank's share is the mean one. Libraries shard whole tensors (ZeroRedundancyOptimizer: some ranks hold more than others) or pad them
    (fully_shard: each tensor's first dimension, up to a multiple of num_ranks). What is gathered for a moment is not counted, such as
    the layer at work at stage 3. ValueError where there are no parameters or ranks, or stage or convention is unknown.
    """
    require_positive(num_params=num_params)
    require_whole(num_ranks=num_ranks)
    if zero_stage not in (0, 1, 2, 3):
        raise ValueError(f"zero_stage is 0, 1, 2 or 3, not {zero_stage!r}")
    if convention not in CONVENTIONS:
        raise ValueError(f"convention is one of {', '.join(CONVENTIONS)}, not {convention!r}")
    bytes_each = CONVENTIONS[convention][:3]
    return ModelState(
        *(
            num_params * size / (num_ranks if zero_stage >= first else 1)
            for size, first in zip(bytes_each, FIRST_SHARDED, strict=True)
        )
    )


def offloaded(
    state: ModelState, ranks_on_host: int, parts: tuple[str, ...] = ("optimizer",)
) -> tuple[ModelState, float]:
    """Return what stays on the GPU of a rank, and the bytes that its host holds for all its ranks, when parts move there.

    parts: those that move. ZeRO-Offload (Ren et al. 2021, arXiv 2101.06840) moves ("gradients", "optimizer"). Buffers for the way are not
    counted; DeepSpeed's estimators put 1.5 times as much on the host. ValueError for an unknown part or no ranks.
    """
    require_whole(ranks_on_host=ranks_on_host)
    for part in parts:
        if part not in ModelState._fields:
            raise ValueError(f"parts are among {', '.join(ModelState._fields)}, not {part!r}")
    moved = {part: getattr(state, part) for part in parts}
    return state._replace(**dict.fromkeys(moved, 0.0)), ranks_on_host * sum(moved.values())


RECOMPUTATIONS = ("none", "selective", "full")


def activation_bytes(
    sequences: int,
    sequence_length: int,
    width: int,
    heads: int,
    recompute: str = "none",
    dropout: bool = True,
    bytes_per_number: int = 2,
) -> float:
    """Return the bytes that one transformer layer keeps for its backward pass (Korthikanti et al. 2022, arXiv 2205.05198, section 4).

    recompute : "none", sbh(34 + 5as/h) with the defaults; "selective", 34 sbh: what grows with s² is computed again, or never kept, as by flash
                attention; "full", 2 sbh: the layer's input alone. While a layer is computed again, it is there as a whole: add one layer
                of another kind (or the logits, if those are more)
    dropout   : masks of 1 byte and, behind the softmax, one more copy. Without it: 16 sbh + as²b numbers

    The 34 is that of GPT: an MLP four times as wide with GELU, two layer norms, as many key as query heads. It changes with SwiGLU, grouped
    queries or RMSNorm. Two numbers a token for each layer norm (and flash attention's one a token and head) are left out, as
    in the paper; tensor parallelism would divide. ValueError for sizes that are not positive or an unknown recompute.
    """
    require_whole(
        sequences=sequences,
        sequence_length=sequence_length,
        width=width,
        heads=heads,
        bytes_per_number=bytes_per_number,
    )
    if recompute not in RECOMPUTATIONS:
        raise ValueError(f"recompute is one of {', '.join(RECOMPUTATIONS)}, not {recompute!r}")
    tokens, pairs = sequences * sequence_length, heads * sequences * sequence_length**2
    if recompute == "full":
        return bytes_per_number * tokens * width
    linear = tokens * width * (16 * bytes_per_number + 2 * dropout)
    square = pairs * (bytes_per_number * (1 + dropout) + dropout)
    return linear + (square if recompute == "none" else 0)


def logit_bytes(tokens: int, vocabulary: int) -> int:
    """Return the bytes at the end of the model, at least: logits in 16 bits, in 32 bits for the loss, and their 32-bit gradient.

    torch's cross_entropy has another 4 bytes a number for a moment: the gradients behind and before its softmax. Fused ones take less. The
    logits are gone before a checkpointed layer is run again: the peak has the larger of the two, not both.
    """
    require_whole(tokens=tokens, vocabulary=vocabulary)
    return (2 + 4 + 4) * tokens * vocabulary


def peak_activation_bytes(
    num_layers: int,
    sequences: int,
    sequence_length: int,
    width: int,
    heads: int,
    vocabulary: int,
    recompute: str = "none",
) -> float:
    """Return the bytes of all layers' activations and of the logits at their peak, with the defaults of activation_bytes.

    Where whole layers are computed again, the logits are gone before the first one is: the larger of the two counts.
    """
    layers = num_layers * activation_bytes(sequences, sequence_length, width, heads, recompute)
    logits = logit_bytes(sequences * sequence_length, vocabulary)
    if recompute != "full":
        return layers + logits
    return layers + max(logits, activation_bytes(sequences, sequence_length, width, heads, "selective"))


def held_bytes(model, optimizer) -> ModelState:
    """Return the bytes that this rank really holds, counted in memory: each storage once, padding included, a DTensor by its local shard.

    model     : a torch.nn.Module, also one wrapped by DistributedDataParallel or sharded by fully_shard; its buffers are not counted
    optimizer : a torch optimizer, or a ZeroRedundancyOptimizer, of which this rank's share counts

    Parameters are what the model computes with just now. Other parameters, which the optimizer updates in their place, are the master
    copy and count as its own: so do the shards of fully_shard while a layer is gathered. Adam's state has a counter of 4 bytes for each
    tensor. Not seen: DistributedDataParallel's buckets (as large as all gradients, unless gradient_as_bucket_view=True) and whatever
    a library keeps elsewhere.
    """
    optimizer = getattr(optimizer, "optim", optimizer)  # ZeroRedundancyOptimizer: the one with this rank's share
    parameters = list(model.parameters())
    updated = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    state = [
        value for values in optimizer.state.values() for value in values.values() if hasattr(value, "untyped_storage")
    ]
    counted = {}  # holds every storage, so that none is counted twice
    return ModelState(
        newly_counted(parameters, counted),
        newly_counted([parameter.grad for parameter in parameters + updated if parameter.grad is not None], counted),
        newly_counted(updated + state, counted),
    )


def newly_counted(tensors: list, counted: dict) -> int:
    """Return the bytes of the storages behind the tensors that are not in counted (address → storage), and put them there."""
    num_bytes = 0
    for tensor in tensors:
        local = tensor.to_local() if hasattr(tensor, "to_local") else tensor
        storage = local.untyped_storage()
        if storage._cdata not in counted:  # its identity even where there is no memory, as on the meta device
            counted[storage._cdata] = storage
            num_bytes += storage.nbytes()
    return num_bytes


def require_positive(**values) -> None:
    """Raise ValueError, naming the argument, where a value is not a positive finite number."""
    for name, value in values.items():
        if not (math.isfinite(value) and value > 0):
            raise ValueError(f"{name} must be positive and finite, not {value!r}")


def require_whole(**values) -> None:
    """Raise ValueError, naming the argument, where a value is not a whole number from 1."""
    for name, value in values.items():
        if not (math.isfinite(value) and value >= 1 and value == int(value)):
            raise ValueError(f"{name} must be a whole number from 1, not {value!r}")
