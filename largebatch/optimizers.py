"""LARS and LAMB: steps whose length is set, for each parameter tensor, by the tensor's own norm.

Both papers speak of layers; in all public code a "layer" is one parameter tensor, and here, too. The global rate is a factor outside
the momentum, as in torch.optim.SGD; the paper on LARS multiplies the gradient by it before it enters the buffer, which is the same
while the rate is constant. Parameters that should not be adapted (biases, scales of normalisation layers) go into a group of their own:

    LARS([{"params": matrices}, {"params": biases, "adapt": False, "weight_decay": 0.0}], lr=0.1)

A step is a pure function of tensors, so torch.vmap runs it for many runs at once. It computes in float32 where the tensors are in a
16-bit format, whose numbers would not hold the norms. There is no maximize, no foreach and no nesterov; gradients must be dense.
"""

import torch
from torch.optim import Optimizer


def lars_step(weights, gradient, buffer, lr, momentum=0.9, weight_decay=0.0, trust_coefficient=0.001, adapt=True):
    """Return the weights and the momentum buffer after one step of LARS on one tensor (You et al. 2017, arXiv 1708.03888, algorithm 1).

    weights, gradient, buffer : tensors of one shape; the buffer begins with zeros
    lr, momentum, …           : numbers, or tensors without dimensions

    v ← momentum · v + ratio · (g + weight_decay · w), w ← w - lr · v, where ratio = trust_coefficient · |w| / (|g| + weight_decay · |w|).
    ValueError for a sparse gradient.
    """
    refuse_sparse(gradient, "LARS")
    dtype, (weights, gradient, buffer) = weights.dtype, widened(weights, gradient, buffer)
    update = gradient + weight_decay * weights
    if adapt:
        update = update * trust_ratio(weights, norm(gradient) + weight_decay * norm(weights), trust_coefficient)
    buffer = momentum * buffer + update
    return (weights - lr * buffer).to(dtype), buffer.to(dtype)


def lamb_step(weights, gradient, m, v, step, lr, betas=(0.9, 0.999), eps=1e-6, weight_decay=0.0, adapt=True):
    """Return the weights and both moments after step 1, 2, … of LAMB on one tensor (You et al. 2020, arXiv 1904.00962, algorithm 2).

    weights, gradient, m, v : tensors of one shape; the moments begin with zeros
    step, lr, betas, …      : numbers, or tensors without dimensions

    Adam's step with bias correction, plus weight_decay · w, times |w| / its own norm (the paper's φ is the identity; nothing is clipped).
    ValueError for sparse gradients and for complex tensors.
    """
    refuse_sparse(gradient, "LAMB")
    if weights.is_complex():
        raise ValueError("LAMB needs real tensors: keep the weights as torch.view_as_real of the complex ones")
    dtype, (weights, gradient, m, v) = weights.dtype, widened(weights, gradient, m, v)
    m = betas[0] * m + (1 - betas[0]) * gradient
    v = betas[1] * v + (1 - betas[1]) * gradient**2
    update = m / (1 - betas[0] ** step) / ((v / (1 - betas[1] ** step)).sqrt() + eps) + weight_decay * weights
    if adapt:
        update = update * trust_ratio(weights, norm(update))
    return (weights - lr * update).to(dtype), m.to(dtype), v.to(dtype)


def trust_ratio(weights: torch.Tensor, size: torch.Tensor, coefficient: float = 1.0) -> torch.Tensor:
    """Return coefficient · |weights| / size, or 1 where a norm of 0 would freeze the tensor or leave the ratio undefined."""
    length = norm(weights)
    return torch.where((length > 0) & (size > 0), coefficient * length / size, 1.0)


def norm(tensor: torch.Tensor) -> torch.Tensor:
    """Return the square root of the sum of all squares, a tensor without dimensions."""
    return torch.linalg.vector_norm(tensor)


def widened(*tensors: torch.Tensor) -> list[torch.Tensor]:
    """Return tensors in float32 where they are in a 16-bit format, and as they are otherwise."""
    return [tensor.to(torch.promote_types(tensor.dtype, torch.float32)) for tensor in tensors]


class Layerwise(Optimizer):
    """What LARS and LAMB have in common; each of them names its settings, and says which it refuses and how it moves a tensor."""

    settings: tuple[str, ...]

    def add_param_group(self, param_group: dict) -> None:
        """Add a group of tensors with settings of its own; TypeError if it is no dict, ValueError for settings that make no sense."""
        if not isinstance(param_group, dict):
            raise TypeError(
                f"a parameter group must be a dict, such as {{'params': [...]}}, not {type(param_group).__name__}"
            )
        self.refuse(self.defaults | param_group)
        super().add_param_group(param_group)

    def load_state_dict(self, state_dict: dict) -> None:
        """Go on where an optimizer of the same class was saved; ValueError for the state of another one."""
        missing = [name for group in state_dict["param_groups"] for name in self.settings if name not in group]
        if missing:
            raise ValueError(f"this state was not saved by {type(self).__name__}: a group has no {missing[0]!r}")
        super().load_state_dict(state_dict)

    @torch.no_grad()
    def step(self, closure=None):
        """Take one step; a closure, if there is one, computes loss and gradients anew, and its loss is returned."""
        loss = evaluated(closure)
        for group in self.param_groups:
            settings = {name: group[name] for name in self.settings}
            for weights in group["params"]:
                if weights.grad is not None:
                    weights.copy_(self.moved(weights, self.state[weights], settings))
        return loss


class LARS(Layerwise):
    """SGD with momentum whose gradient is multiplied, for each tensor, by a trust ratio: see lars_step.

    params            : tensors or parameter groups, as for every PyTorch optimizer
    lr                : learning rate
    momentum          : share of the buffer that is kept, 0 or more and below 1
    weight_decay      : added to the gradient, and counted in the ratio
    trust_coefficient : |step| / |w| of an adapted tensor at lr 1, without momentum and decay
    adapt             : False, in a group, gives its tensors plain SGD with momentum

    ValueError for settings that make no sense.
    """

    settings = ("lr", "momentum", "weight_decay", "trust_coefficient", "adapt")

    def __init__(self, params, lr, momentum=0.9, weight_decay=0.0, trust_coefficient=0.001, adapt=True):
        settings = dict(lr=lr, momentum=momentum, weight_decay=weight_decay, trust_coefficient=trust_coefficient)
        super().__init__(params, settings | {"adapt": adapt})

    def refuse(self, settings: dict) -> None:
        """Raise ValueError for settings that make no sense."""
        refuse_negative(settings, "lr", "weight_decay", "trust_coefficient")
        refuse_outside(settings["momentum"], "momentum")

    def moved(self, weights: torch.Tensor, state: dict, settings: dict) -> torch.Tensor:
        """Return the weights after a step, and keep the buffer in the state."""
        buffer = state.get("momentum_buffer", torch.zeros_like(weights))
        new, state["momentum_buffer"] = lars_step(weights, weights.grad, buffer, **settings)
        return new


class LAMB(Layerwise):
    """Adam whose step, with the decay, is scaled for each tensor to the length lr · |w|: see lamb_step.

    params       : tensors or parameter groups, as for every PyTorch optimizer
    lr           : learning rate; for an adapted tensor, |step| / |w|
    betas, eps   : as in Adam
    weight_decay : added to Adam's step, and counted in its norm
    adapt        : False, in a group, gives its tensors AdamW's step

    ValueError for settings that make no sense.
    """

    settings = ("lr", "betas", "eps", "weight_decay", "adapt")

    def __init__(self, params, lr, betas=(0.9, 0.999), eps=1e-6, weight_decay=0.0, adapt=True):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, adapt=adapt))

    def refuse(self, settings: dict) -> None:
        """Raise ValueError for settings that make no sense."""
        refuse_negative(settings, "lr", "eps", "weight_decay")
        if len(settings["betas"]) != 2:
            raise ValueError(f"betas must be two numbers, not {settings['betas']}")
        for beta in settings["betas"]:
            refuse_outside(beta, "each of betas")

    def moved(self, weights: torch.Tensor, state: dict, settings: dict) -> torch.Tensor:
        """Return the weights after a step, and keep the moments and the number of the step in the state."""
        zeros, step = torch.zeros_like(weights), state.get("step", 0) + 1
        moments = state.get("exp_avg", zeros), state.get("exp_avg_sq", zeros)
        new, m, v = lamb_step(weights, weights.grad, *moments, step, **settings)
        state.update(step=step, exp_avg=m, exp_avg_sq=v)
        return new


def evaluated(closure):
    """Return the loss that a closure computes, with gradients; None without a closure."""
    if closure is None:
        return None
    with torch.enable_grad():
        return closure()


def refuse_sparse(gradient: torch.Tensor, optimizer: str) -> None:
    """Raise ValueError for a gradient that is not dense."""
    if gradient.layout != torch.strided:
        raise ValueError(f"{optimizer} needs dense gradients; torch.nn.Embedding gives them with sparse=False")


def refuse_negative(settings: dict, *names: str) -> None:
    """Raise ValueError for a setting that is below 0 or not finite."""
    for name in names:
        if not 0 <= settings[name] < float("inf"):
            raise ValueError(f"{name} must be finite and 0 or more, not {settings[name]}")


def refuse_outside(share: float, name: str) -> None:
    """Raise ValueError for a share of a memory that is not in [0, 1)."""
    if not 0 <= share < 1:
        raise ValueError(f"{name} must be at least 0 and below 1, not {share}")
