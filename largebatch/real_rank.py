"""The calls of the symbolic machine on real ranks: the same schedule, with tensors, under torch.distributed (see largebatch.ranks).

The model is a chain of square tanh layers without bias, the loss of an example half the squared length of the last layer's output, summed
over all examples, and the step one of plain SGD. Collectives are waited for at once, whatever async_op says.
"""

import torch
import torch.distributed as dist

RATE, EXAMPLES = 0.01, 4  # learning rate, and examples in a micro-batch


def first_weights(layer: int, width: int) -> torch.Tensor:
    """Return the weights of a layer before the step, shape (width, width), the same on every rank."""
    return torch.randn(width, width, generator=torch.Generator().manual_seed(layer), dtype=torch.float64) / width**0.5


def examples(rank: int, micro_batch: int, width: int) -> torch.Tensor:
    """Return a micro-batch of a rank, shape (examples, width)."""
    seed = torch.Generator().manual_seed(1000 * (rank + 1) + micro_batch)
    return torch.randn(EXAMPLES, width, generator=seed, dtype=torch.float64)


class RealRank:
    """What a schedule is given on a real rank; width: of the layers, a multiple of the number of ranks."""

    def __init__(self, num_layers: int, num_micro_batches: int, width: int = 12):
        self.rank, self.num_ranks, self.width = dist.get_rank(), dist.get_world_size(), width
        if width % self.num_ranks:
            raise ValueError(f"layers {width} wide have no equal shards for {self.num_ranks} ranks; choose a multiple")
        self.layers, self.micro_batches = range(num_layers), range(num_micro_batches)
        self.whole, self.shards, self.gradients, self.gradient_shards = {}, {}, {}, {}  # layer → tensor
        self.saved = {}  # (layer, micro-batch) → input and output
        self.signals = {}  # micro-batch → gradient that flows down

    def own(self, tensor):
        """Return a view of this rank's shard of a whole tensor."""
        return tensor.chunk(self.num_ranks)[self.rank]

    def load(self, weights="whole", optimizer="whole"):
        self.optimizer = optimizer
        for layer in self.layers:
            tensor = first_weights(layer, self.width)
            if weights == "whole":
                self.whole[layer] = tensor
            else:
                self.shards[layer] = self.own(tensor).clone()

    def forward(self, layer, micro_batch):
        below = self.saved[layer - 1, micro_batch][1] if layer else examples(self.rank, micro_batch, self.width)
        self.saved[layer, micro_batch] = below, torch.tanh(below @ self.whole[layer].T)

    def backward(self, layer, micro_batch):
        below, output = self.saved.pop((layer, micro_batch))
        above = self.signals.pop(micro_batch, output)  # the loss is half its square, so its gradient is the output
        signal = above * (1 - output**2)
        self.gradients[layer] = self.gradients.get(layer, 0) + signal.T @ below
        if layer:
            self.signals[micro_batch] = signal @ self.whole[layer]

    def all_reduce(self, layer, async_op=False):
        dist.all_reduce(self.gradients[layer])

    def reduce_scatter(self, layer, async_op=False):
        gradient = self.gradients.pop(layer)
        shard = torch.empty_like(self.own(gradient))
        dist.reduce_scatter(shard, list(gradient.chunk(self.num_ranks)))
        self.gradient_shards[layer] = self.gradient_shards.get(layer, 0) + shard

    def all_gather(self, layer, async_op=False):
        shard = self.shards[layer] if layer in self.shards else self.own(self.whole[layer]).clone()
        self.whole[layer] = shard.new_empty(self.width, self.width)
        dist.all_gather(list(self.whole[layer].chunk(self.num_ranks)), shard)

    def free(self, layer):
        del self.whole[layer]

    def update(self, layer):
        if self.optimizer == "whole":
            self.whole[layer] -= RATE * self.gradients.pop(layer)
            return
        weights = self.shards[layer] if layer in self.shards else self.own(self.whole[layer])
        gradient = (
            self.gradient_shards.pop(layer) if layer in self.gradient_shards else self.own(self.gradients.pop(layer))
        )
        weights -= RATE * gradient

    def new_weights(self) -> torch.Tensor:
        """Return the rows of all layers for which this rank answers: all of them, or its shards."""
        return torch.stack([self.shards.get(layer, self.whole.get(layer)) for layer in self.layers])


def one_process(num_ranks: int, num_layers: int, num_micro_batches: int, width: int = 12) -> torch.Tensor:
    """Return all weights after the same step in a single process, by autograd on all examples at once."""
    weights = [first_weights(layer, width).requires_grad_() for layer in range(num_layers)]
    output = torch.cat([examples(rank, k, width) for rank in range(num_ranks) for k in range(num_micro_batches)])
    for each in weights:
        output = torch.tanh(output @ each.T)
    (output**2).sum().div(2).backward()
    return torch.stack([(each - RATE * each.grad).detach() for each in weights])
