"""LARS and LAMB: steps whose length is set, for each parameter tensor, by the tensor's own norm.

Both papers speak of layers; in all public code a "layer" is one parameter tensor, and here, too. The global rate is a factor outside
the momentum, as in torch.optim.SGD; the paper on LARS multiplies the gradient by it before it enters the buffer, which is the same
while the rate is constant. Parameters that should not be adapted (biases, scales of normalisation layers) go into a group of their own:

    LARS([{"params": matrices}, {"params": biases, "adapt": False, "weight_decay": 0.0}], lr=0.1)

A step is a pure function of tensors, so torch.vmap runs it for many runs at once.
"""

import torch
from torch.optim import Optimizer


def lars_step(weights, gradient, buffer, lr, momentum=0.9, weight_decay=0.0, trust_coefficient=0.001, adapt=True):
    """Return the weights and the momentum buffer after one step of LARS on one tensor (You et al. 2017, arXiv 1708.03888, algorithm 1).

    weights, gradient, buffer : tensors of one shape; the buffer begins with zeros
    lr, momentum, …           : numbers, or tensors without dimensions

    v ← momentum · v + ratio · (g + weight_decay · w), w ← w - lr · v, where ratio = trust_coefficient · |w| / (|g| + weight_decay · |w|).
    """
    update = gradient + weight_decay * weights
    if adapt:
        update = update * trust_ratio(weights, norm(gradient) + weight_decay * norm(weights), trust_coefficient)
    buffer = momentum * buffer + update
    return weights - lr * buffer, buffer


def lamb_step(weights, gradient, m, v, step, lr, betas=(0.9, 0.999), eps=1e-6, weight_decay=0.0, adapt=True):
    """Return the weights and both moments after step 1, 2, … of LAMB on one tensor (You et al. 2020, arXiv 1904.00962, algorithm 2).

    weights, gradient, m, v : tensors of one shape; the moments begin with zeros
    step, lr, betas, …      : numbers, or tensors without dimensions

    Adam's step with bias correction, plus weight_decay · w, times |w| / its own norm (the paper's φ is the identity; nothing is clipped).
    """
    m = betas[0] * m + (1 - betas[0]) * gradient
    v = betas[1] * v + (1 - betas[1]) * gradient**2
    update = m / (1 - betas[0] ** step) / ((v / (1 - betas[1] ** step)).sqrt() + eps) + weight_decay * weights
    if adapt:
        update = update * trust_ratio(weights, norm(update))
    return weights - lr * update, m, v


def trust_ratio(weights: torch.Tensor, size: torch.Tensor, coefficient: float = 1.0) -> torch.Tensor:
    """Return coefficient · |weights| / size, or 1 where a norm of 0 would freeze the tensor or leave the ratio undefined."""
    length = norm(weights)
    return torch.where((length > 0) & (size > 0), coefficient * length / size, 1.0)


def norm(tensor: torch.Tensor) -> torch.Tensor:
    """Return the square root of the sum of all squares, a tensor without dimensions."""
    return torch.linalg.vector_norm(tensor)


class LARS(Optimizer):
    """SGD with momentum whose gradient is multiplied, for each tensor, by a trust ratio: see lars_step.

    params            : tensors or parameter groups, as for every PyTorch optimizer
    lr                : learning rate
    momentum          : share of the buffer that is kept, 0 or more and below 1
    weight_decay      : added to the gradient, and counted in the ratio
    trust_coefficient : |step| / |w| of an adapted tensor at lr 1, without momentum and decay
    adapt             : False, in a group, gives its tensors plain SGD with momentum

    ValueError for settings that make no sense.
    """

    def __init__(self, params, lr, momentum=0.9, weight_decay=0.0, trust_coefficient=0.001, adapt=True):
        settings = dict(lr=lr, momentum=momentum, weight_decay=weight_decay, trust_coefficient=trust_coefficient)
        super().__init__(params, settings | {"adapt": adapt})

    def add_param_group(self, param_group: dict) -> None:
        """Add a group of tensors with settings of its own; ValueError for settings that make no sense."""
        settings = self.defaults | param_group
        refuse_negative(settings, "lr", "weight_decay", "trust_coefficient")
        refuse_outside(settings["momentum"], "momentum")
        super().add_param_group(param_group)

    @torch.no_grad()
    def step(self, closure=None):
        """Take one step; a closure, if there is one, computes loss and gradients anew, and its loss is returned."""
        loss = evaluated(closure)
        for group in self.param_groups:
            names = ("lr", "momentum", "weight_decay", "trust_coefficient", "adapt")
            settings = {name: group[name] for name in names}
            for weights in with_gradient(group):
                state = self.state[weights]
                buffer = state.get("momentum_buffer", torch.zeros_like(weights))
                new, state["momentum_buffer"] = lars_step(weights, weights.grad, buffer, **settings)
                weights.copy_(new)
        return loss


class LAMB(Optimizer):
    """Adam whose step, with the decay, is scaled for each tensor to the length lr · |w|: see lamb_step.

    params       : tensors or parameter groups, as for every PyTorch optimizer
    lr           : learning rate; for an adapted tensor, |step| / |w|
    betas, eps   : as in Adam
    weight_decay : added to Adam's step, and counted in its norm
    adapt        : False, in a group, gives its tensors AdamW's step

    ValueError for settings that make no sense.
    """

    def __init__(self, params, lr, betas=(0.9, 0.999), eps=1e-6, weight_decay=0.0, adapt=True):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, adapt=adapt))

    def add_param_group(self, param_group: dict) -> None:
        """Add a group of tensors with settings of its own; ValueError for settings that make no sense."""
        settings = self.defaults | param_group
        refuse_negative(settings, "lr", "eps", "weight_decay")
        if len(settings["betas"]) != 2:
            raise ValueError(f"betas must be two numbers, not {settings['betas']}")
        for beta in settings["betas"]:
            refuse_outside(beta, "each of betas")
        super().add_param_group(param_group)

    @torch.no_grad()
    def step(self, closure=None):
        """Take one step; a closure, if there is one, computes loss and gradients anew, and its loss is returned."""
        loss = evaluated(closure)
        for group in self.param_groups:
            settings = {name: group[name] for name in ("lr", "betas", "eps", "weight_decay", "adapt")}
            for weights in with_gradient(group):
                state = self.state[weights]
                if not state:
                    state.update(step=0, exp_avg=torch.zeros_like(weights), exp_avg_sq=torch.zeros_like(weights))
                state["step"] += 1
                moments = state["exp_avg"], state["exp_avg_sq"], state["step"]
                new, state["exp_avg"], state["exp_avg_sq"] = lamb_step(weights, weights.grad, *moments, **settings)
                weights.copy_(new)
        return loss


def evaluated(closure):
    """Return the loss that a closure computes, with gradients; None without a closure."""
    if closure is None:
        return None
    with torch.enable_grad():
        return closure()


def with_gradient(group: dict) -> list[torch.Tensor]:
    """Return the tensors of a group that have a gradient."""
    return [weights for weights in group["params"] if weights.grad is not None]


def refuse_negative(settings: dict, *names: str) -> None:
    """Raise ValueError for a setting that is below 0 or not finite."""
    for name in names:
        if not 0 <= settings[name] < float("inf"):
            raise ValueError(f"{name} must be finite and 0 or more, not {settings[name]}")


def refuse_outside(share: float, name: str) -> None:
    """Raise ValueError for a share of a memory that is not in [0, 1)."""
    if not 0 <= share < 1:
        raise ValueError(f"{name} must be at least 0 and below 1, not {share}")
