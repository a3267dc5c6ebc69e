"""The gradient noise scale of a PyTorch training loop, from the backward passes that it makes anyway. Three lines:

    meter = NoiseMeter(model, micro_batch=8)  # examples in one backward pass on one rank
    for micro_batch in window:
        (loss_of(model, micro_batch) / len(window)).backward()
    meter.step()  # after the last backward pass; before unscaling, clipping, optimizer.step() and zero_grad()
    print(meter)  # noise scale 5,810 examples (5,560 to 6,980, 60 steps)

An optimizer step is made of pieces: K micro-batches on each of R ranks, K·R at least 2. A hook on each parameter sees the gradient of one
backward pass before it is added to .grad and before DistributedDataParallel averages it, and keeps its norm. With .grad, which in the end
holds the mean gradient of all pieces, that makes two batch sizes, micro_batch and micro_batch·K·R (largebatch.noise_scale.two_batch).
The same hook therefore serves accumulation and DDP, with no_sync() or without. A DDP communication hook would see a rank's sum of K
passes in place of the single ones, which is a noisier measurement; it would have to do the averaging itself; and there is room for one only.

The unit is the example: whatever is drawn independently, in language models a sequence; multiply by its length for tokens. A factor on all
losses, such as 1/K or the scale of mixed precision, does not matter to the noise scale. noise_scale.trace and .squared_norm, though, are in
the loss's own unit only if the loss was divided by K and not scaled.

What it costs: one norm a parameter and backward pass, no copy of a gradient; a step waits once for the device and gathers four numbers a rank.
The training itself stays the same to the last bit.

What it needs
- the gradients as the backward passes left them. On one process, step() refuses those that were clipped meanwhile; where it cannot tell, in DDP
  and after GradScaler.unscale_(), a noise_scale.squared_norm that stays negative gives it away.
- at least one parameter that takes part in every pass, as passes are counted by it: in a mixture of experts, the router or an embedding.
- one backward pass a micro-batch: two losses are added before backward(); torch.autograd.grad by the parameters counts as a pass.
- micro-batches of one size, each with the mean loss of its examples. A window for which step() is not called is left out, so skip it where
  the last micro-batch of an epoch is smaller (zero_grad() must set gradients to None, as it does by default, for that to be seen).
- whole gradients in .grad: FSDP, tensor parallelism and DeepSpeed keep shards or buffers of their own. torch's ZeroRedundancyOptimizer keeps them whole.
- weights that are shared between checkpointed segments need checkpoint(use_reentrant=False): the reentrant kind makes several passes of one.
- parameters that are trainable when the meter is made; others stay unseen. Make a new meter after unfreezing.
"""

import math
from collections.abc import Callable, Iterable
from itertools import groupby
from operator import attrgetter

import torch
import torch.distributed as dist
from torch.linalg import vector_norm

from largebatch.noise_scale import NoiseScale, two_batch

LARGE = 2**16  # numbers; on the CPU, one float32 sum over 2**24 squares is off by a thousandth
HALF = torch.float16, torch.bfloat16
SAME = 1e-3  # ranks agree on the norm of the mean gradient to this share


class NoiseMeter:
    """Hooks on the parameters of a model that feed a NoiseScale.

    model       : a module, also one in DistributedDataParallel
    micro_batch : examples in one backward pass on one rank
    memory      : steps that the averages reach back, at least 8; None for all (see NoiseScale)
    group       : process group of the data-parallel ranks; by default all processes, if torch.distributed is initialised

    noise_scale : the NoiseScale: value, interval, resolved, num_steps, num_skipped, …
    """

    def __init__(
        self,
        model: torch.nn.Module,
        micro_batch: float,
        memory: float | None = 100,
        group: "dist.ProcessGroup | None" = None,
    ):
        if not 0 < micro_batch < math.inf:
            raise ValueError(
                f"micro_batch is the number of examples in one backward pass on one rank, not {micro_batch}"
            )
        trainable = [parameter for parameter in model.parameters() if parameter.requires_grad]
        if not trainable:
            raise ValueError("the model has no trainable parameters, so there are no gradients to measure")
        if any(hasattr(parameter, "placements") for parameter in trainable):
            raise ValueError(
                "parameters are sharded (DTensor): the noise scale needs whole gradients; measure with DDP"
            )
        self.noise_scale = NoiseScale(memory)
        self.micro_batch, self.group = micro_batch, group
        self._norms = {parameter: [] for parameter in trainable}  # of the pieces that .grad is the sum of
        self._norms_before = {}  # of what .grad held before the first piece
        self._last_sum = None  # a parameter and the version that its .grad has after the last pass
        self._hooks = [
            parameter.register_hook(self._hook(parameter, norms)) for parameter, norms in self._norms.items()
        ]

    def _hook(self, parameter: torch.Tensor, norms: list[torch.Tensor]) -> Callable[[torch.Tensor], None]:
        """Return the hook that keeps the norm of each pass's gradient, before that is added to parameter.grad."""

        def see(piece: torch.Tensor) -> None:
            so_far = parameter.grad
            if so_far is None:
                norms.clear()
                self._norms_before.pop(parameter, None)
            elif norms:
                self._last_sum = parameter, so_far._version + 1
            else:
                self._norms_before[parameter] = norm(so_far)
            norms.append(norm(piece))

        return see

    def step(self) -> None:
        """Take in one optimizer step; on all ranks, after the last backward pass and before anything changes the gradients.

        Left out and counted in noise_scale.num_skipped: gradients that are not finite, as after an overflow in mixed precision, and, after
        the first step, a single backward pass on a single rank, as at the end of an epoch. ValueError where gradients are not there, not
        only of this step, changed since the last pass, or not the same on all ranks; and where the first step has one piece only.
        """
        changed = self._changed()
        rows = self._gather()
        for norms in (*self._norms.values(), self._norms_before):
            norms.clear()

        squares, wholes, before, passes = zip(*rows, strict=True)
        num_pieces = sum(passes)
        if not num_pieces or (any(squares) and not any(wholes)):
            raise ValueError(
                "no gradients: call step() once after the last backward pass, before zero_grad() "
                "(FSDP and DeepSpeed keep gradients elsewhere and cannot be measured)"
            )
        if any(before):
            raise ValueError(
                "gradients held older ones before the first backward pass: call model.zero_grad() after each step, "
                "and freeze parameters that are not trained"
            )
        if num_pieces < 2 and self.noise_scale.num_steps:
            self.noise_scale.add(math.nan, math.nan)
            return
        if num_pieces < 2:
            raise ValueError(
                "one backward pass on one rank has nothing to compare: accumulate two micro-batches or more, "
                "for example of half the size, or use two ranks"
            )
        if changed:
            raise ValueError("gradients changed after the last backward pass: call step() before clipping")
        if max(wholes) > (1 + SAME) * min(wholes):
            raise ValueError(
                "ranks have different gradients: call step() after they are averaged (no no_sync() at the last backward pass); "
                "pass group= where not all processes are data-parallel; sharded gradients (FSDP) cannot be measured"
            )
        # .grad, summed over passes and averaged over ranks, is the mean gradient in a unit of its own: a piece of it counts num_pieces / R.
        small_sq_norm = num_pieces / len(rows) ** 2 * sum(squares)
        self.noise_scale.add(*two_batch(small_sq_norm, wholes[0], self.micro_batch, self.micro_batch * num_pieces))

    def _changed(self) -> bool:
        """Return whether clipping, say, wrote to a gradient after the last backward pass; cannot be told in DDP, which does so itself."""
        if self._last_sum is None or distributed():
            return False
        parameter, version = self._last_sum
        return parameter.grad is not None and parameter.grad._version > version

    def _gather(self) -> list[list[float]]:
        """Return a row of each rank: squared norms of its pieces, of .grad, of what .grad held before; and its number of passes."""
        filled = {parameter: norms for parameter, norms in self._norms.items() if parameter.grad is not None}
        device = next(iter(self._norms)).device
        squares = [
            sum_of_squares(norms, device)
            for norms in (
                [one for norms in filled.values() for one in norms],
                [norm(parameter.grad) for parameter in filled],
                self._norms_before.values(),
            )
        ]
        num_passes = max(map(len, filled.values()), default=0)
        row = torch.stack([*squares, torch.full_like(squares[0], num_passes)])
        if not distributed():
            return [row.tolist()]
        rows = [torch.empty_like(row) for _ in range(dist.get_world_size(self.group))]
        dist.all_gather(rows, row, group=self.group)
        return torch.stack(rows).tolist()

    def remove(self) -> None:
        """Take the hooks off the model; what was measured stays."""
        for hook in self._hooks:
            hook.remove()

    def __str__(self) -> str:
        return str(self.noise_scale)


def distributed() -> bool:
    """Return whether this is one of the processes of torch.distributed."""
    return dist.is_available() and dist.is_initialized()


def norm(gradient: torch.Tensor) -> torch.Tensor:
    """Return the Euclidean norm, summed up in float32 at least; shape ()."""
    if gradient.requires_grad:  # after backward(create_graph=True)
        gradient = gradient.detach()
    if gradient.is_sparse:
        gradient = gradient.coalesce().values()
    dtype = torch.float32 if gradient.dtype in HALF else gradient.dtype
    if gradient.numel() > LARGE and gradient.dim() > 1:
        gradient = vector_norm(gradient, dim=tuple(range(1, gradient.dim())), dtype=dtype)
    return vector_norm(gradient) if gradient.dtype == dtype else vector_norm(gradient, dtype=dtype)


def sum_of_squares(norms: Iterable[torch.Tensor], device: torch.device) -> torch.Tensor:
    """Return the sum of the squares of numbers that may be on several devices; shape ()."""
    groups = groupby(norms, attrgetter("device"))
    sums = [torch.stack(list(group)).square().sum().to(device) for _, group in groups]
    return sum(sums, torch.zeros((), device=device))
