"""What a run computes, and how a language model's loss falls with its size and its data.

A run of Ψ parameters over D tokens takes C = 6ΨD floating-point operations: each parameter is multiplied and added once a token in the forward pass
and twice in the backward pass (Kaplan et al. 2020, arXiv 2001.08361, section 2.1). Papers write N for Ψ.
"""

from dataclasses import dataclass

import numpy as np

from largebatch.scaling import require_positive

FLOPS = 6  # operations for each parameter and token
RECOMPUTED = {"none": 0.0, "full": 1 / 3}  # what is computed again, as a share; "selective": attention's part only


@dataclass(frozen=True)
class LossLaw:
    """The loss of a trained model, in nats a token: L = E + a Ψ^-α + b D^-β (Hoffmann et al. 2022, arXiv 2203.15556, equation 2)."""

    irreducible: float  # E
    params_scale: float  # a
    tokens_scale: float  # b
    params_exponent: float  # α
    tokens_exponent: float  # β

    def loss(self, num_params, tokens):
        """Return the loss; numbers or arrays."""
        require_positive(num_params=num_params, tokens=tokens)
        by_params = self.params_scale * np.power(num_params, -self.params_exponent, dtype=float)
        return self.irreducible + by_params + self.tokens_scale * np.power(tokens, -self.tokens_exponent, dtype=float)

    def optimal(self, flops):
        """Return the parameters and tokens with the lowest loss for that many operations (Hoffmann et al., equation 4)."""
        require_positive(flops=flops)
        alpha, beta = self.params_exponent, self.tokens_exponent
        ratio = alpha * self.params_scale / (beta * self.tokens_scale)
        num_params = (ratio * np.power(np.divide(flops, FLOPS), beta)) ** (1 / (alpha + beta))
        return num_params, flops / FLOPS / num_params

    def tokens_for(self, loss, num_params):
        """Return the tokens with which a model of that size comes to the loss; inf where no amount of data is enough."""
        require_positive(loss=loss, num_params=num_params)
        left = loss - self.irreducible - self.params_scale * np.power(num_params, -self.params_exponent, dtype=float)
        with np.errstate(divide="ignore"):
            return np.power(np.maximum(left, 0) / self.tokens_scale, -1 / self.tokens_exponent)


HOFFMANN = LossLaw(1.69, 406.4, 410.7, 0.34, 0.28)  # as published, arXiv 2203.15556, appendix D, equation 10
BESIROGLU = LossLaw(
    1.82, 482, 2085, 0.348, 0.366
)  # the same runs fitted again, Besiroglu et al. 2024, arXiv 2404.10102


def training_flops(num_params, tokens, attention=0.0):
    """Return the operations of training; attention: what it adds to the parameters' part, from attention_share."""
    require_positive(num_params=num_params, tokens=tokens)
    return FLOPS * num_params * tokens * (1 + attention)


def attention_share(sequence_length, width):
    """Return what attention adds to 6ΨD, s/(6h), if every token attends to all (Narayanan et al. 2021, arXiv 2104.04473, appendix)."""
    require_positive(sequence_length=sequence_length, width=width)
    return sequence_length / (6 * width)


def recomputed_share(recompute, attention):
    """Return what recomputation adds to a run's operations: a forward pass in three for "full", that of attention for "selective".

    attention: from attention_share. A layer's attention takes attention / (1 + attention) of its forward pass (Korthikanti et al. 2022,
    arXiv 2205.05198, section 5). ValueError for another name.
    """
    if recompute == "selective":
        return attention / (1 + attention) / 3
    if recompute not in RECOMPUTED:
        raise ValueError(f"recompute is none, selective or full, not {recompute!r}")
    return RECOMPUTED[recompute]


def batch_at_twenty_percent(tokens):
    """Return the batch in tokens from which on a run needs a fifth more data (Zhang et al. 2024, arXiv 2410.21676).

    Their fit, 22.91 D^0.47 sequences of 512 tokens for D million tokens, comes from models of up to 1.2 billion parameters, trained with
    Adam. With E = E_min (1 + B / B_crit) it is a fifth of B_crit. tokens: of the run, with small batches
    """
    require_positive(tokens=tokens)
    return 512 * 22.91 * np.power(np.divide(tokens, 1e6), 0.47)
