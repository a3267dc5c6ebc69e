"""Data-parallel training as lesson 09 derives it, in one file that runs unchanged on one machine and on many.

    torchrun --standalone --nproc-per-node=2 examples/train.py            one machine, with or without GPUs
    sbatch examples/train.slurm                                           several machines

The model is a small transformer, the text is made up, and its sequences are of unequal length, so that micro-batches hold unequal numbers
of tokens. Each step: count the tokens of all ranks, accumulate without synchronising, average once, step. At the end the replicas are
compared, and the noise scale, which the ranks give for free, is printed.
"""

from contextlib import nullcontext

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel

from largebatch import ranks
from largebatch.noise_meter import NoiseMeter
from largebatch.transformer import blocks

VOCABULARY, LENGTH, WIDTH = 32, 24, 32
MICRO_BATCH, ACCUMULATION_STEPS = 8, 2  # sequences; micro-batches of a step on one rank
IGNORED = -100  # target of a token that carries no loss


class LanguageModel(nn.Module):
    """Next-token logits, shape (batch, length, VOCABULARY), from tokens of shape (batch, length)."""

    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = blocks(2, WIDTH, 4, LENGTH)
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.head(self.blocks(self.tokens(tokens) + self.places(places)))


def sequences(generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Return a micro-batch of made-up text as inputs and targets: each token is the one before plus 1, 2 or 3; lengths vary."""
    steps = torch.randint(1, 4, (MICRO_BATCH, LENGTH + 1), generator=generator)
    text = steps.cumsum(dim=1) % VOCABULARY
    lengths = torch.randint(2, LENGTH + 1, (MICRO_BATCH, 1), generator=generator)
    targets = text[:, 1:].masked_fill(torch.arange(LENGTH) >= lengths, IGNORED)
    return text[:, :-1], targets


def train(num_steps: int, device: torch.device | str = "cpu") -> list[float]:
    """Train on all ranks; return the loss of each step, in nats per token, over all ranks."""
    torch.manual_seed(0)  # the same model everywhere, and
    generator = torch.Generator().manual_seed(1 + dist.get_rank())  # other text on every rank
    model = DistributedDataParallel(LanguageModel().to(device))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    meter = NoiseMeter(model, micro_batch=MICRO_BATCH)
    losses = []
    for _ in range(num_steps):
        micro_batches = [sequences(generator) for _ in range(ACCUMULATION_STEPS)]
        num_tokens = torch.tensor(sum(int((targets != IGNORED).sum()) for _, targets in micro_batches), device=device)
        dist.all_reduce(num_tokens)
        summed = torch.zeros((), device=device)
        for number, (inputs, targets) in enumerate(micro_batches, start=1):
            with nullcontext() if number == ACCUMULATION_STEPS else model.no_sync():
                logits = model(inputs.to(device))
                loss = cross_entropy(logits.flatten(0, 1), targets.to(device).flatten(), reduction="sum")
                (loss * dist.get_world_size() / num_tokens).backward()
            summed += loss.detach()
        meter.step()
        optimizer.step()
        optimizer.zero_grad()
        dist.all_reduce(summed)
        losses.append(float(summed / num_tokens))
    if dist.get_rank() == 0:
        print(f"loss {losses[0]:.3f} -> {losses[-1]:.3f} nats per token after {num_steps} steps; {meter}")
    return losses


if __name__ == "__main__":
    train(20, ranks.join())
    ranks.leave()
