"""A small decoder-only transformer in PyTorch: the model of the lessons that count bytes or compare gradients.

Pre-layer-norm blocks with causal attention and a four times wider MLP; no dropout. Attention is written out, so that every tensor
which the backward pass needs can be named.
"""

import torch
from torch import nn


class Attention(nn.Module):
    """Causal self-attention. width: h; heads: a, a divisor of h. Input and output have shape (batch, length, width)."""

    def __init__(self, width: int, heads: int, max_length: int):
        super().__init__()
        self.heads = heads
        self.to_queries, self.to_keys, self.to_values, self.to_output = (
            nn.Linear(width, width, bias=False) for _ in range(4)
        )
        self.register_buffer("future", torch.ones(max_length, max_length, dtype=torch.bool).triu(1), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        by_head = (batch, length, self.heads, width // self.heads)
        queries, keys, values = (
            project(x).view(by_head).transpose(1, 2) for project in (self.to_queries, self.to_keys, self.to_values)
        )
        scores = (queries * by_head[-1] ** -0.5) @ keys.transpose(2, 3)
        attention = scores.masked_fill(self.future[:length, :length], float("-inf")).softmax(dim=-1)
        return self.to_output((attention @ values).transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    """One transformer layer: attention and MLP, each after a layer norm and added to its input."""

    def __init__(self, width: int, heads: int, max_length: int):
        super().__init__()
        self.norm_attention, self.norm_mlp = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads, max_length)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.norm_attention(x))
        return x + self.mlp(self.norm_mlp(x))


def blocks(num_layers: int, width: int, heads: int, max_length: int) -> nn.Sequential:
    """Return a stack of blocks that maps (batch, length, width) to the same shape, for length <= max_length."""
    return nn.Sequential(*(Block(width, heads, max_length) for _ in range(num_layers)))
